// A kqueue is an epoll descriptor, so that close() ends it as it ends a real one, with a table beside it that says what was asked for.
//
// All filters of a descriptor share its one registration with epoll. It is edge-triggered as soon as one of them has EV_CLEAR. A queue
// belongs to one thread at a time; nothing is allocated after kqueue().
#include <sys/epoll.h>
#include <sys/event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <linux/sockios.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace {

// ORDER: relaxed; a test sets it before it makes the events that it is about.
std::atomic<bool> read_first{false};

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint16_t kKept = EV_CLEAR | EV_ONESHOT | EV_DISPATCH;

struct Filter {
    void* udata;
    uint16_t flags;
    bool here, enabled;

    bool counts() const { return here && enabled; }
    bool is_edge() const { return (flags & EV_CLEAR) != 0; }
    // Fires once, so it goes with level and edge alike.
    bool is_single() const { return (flags & (EV_ONESHOT | EV_DISPATCH)) != 0; }
};

struct Watched {
    Filter read, write;
    int error;  // of the socket: asking takes it away there, and both filters are to tell it
    bool registered;
};

struct Free {
    void operator()(void* p) const { std::free(p); }
};

struct Queue {
    int fd = -1;
    size_t size = 0;
    std::unique_ptr<Watched[], Free> table;  // by descriptor; zeroed pages that are touched when needed
    struct kevent kept {};                   // found no room in the list of events
    bool has_kept = false;
};

std::mutex mutex;
std::map<int, Queue> queues;

Queue* find(int kq) {
    const std::lock_guard lock(mutex);
    const auto found = queues.find(kq);
    return found == queues.end() ? nullptr : &found->second;
}

uint32_t wanted(const Watched& w) {
    uint32_t events = 0;
    if (w.read.counts()) events |= EPOLLIN | EPOLLRDHUP;
    if (w.write.counts()) events |= EPOLLOUT;
    if ((w.read.counts() && w.read.is_edge()) || (w.write.counts() && w.write.is_edge())) events |= EPOLLET;
    return events;
}

// Brings epoll up to date: 0 or errno. ENOENT: the descriptor was closed meanwhile, and what was registered went with it.
int synchronize(const Queue& q, int fd, Watched& w) {
    epoll_event event{};
    event.events = wanted(w);
    event.data.fd = fd;
    if (event.events == 0) {
        if (!w.registered) return 0;
        w.registered = false;
        return ::epoll_ctl(q.fd, EPOLL_CTL_DEL, fd, nullptr) == 0 ? 0 : errno;
    }
    if (::epoll_ctl(q.fd, w.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0) return errno;
    w.registered = true;
    return 0;
}

int apply_add(Queue& q, int fd, Watched& w, Filter& filter, const Filter& other, const struct kevent& change) {
    const Filter before = filter;
    filter = {change.udata, static_cast<uint16_t>(change.flags & kKept), true, (change.flags & EV_DISABLE) == 0};
    if (w.registered && other.counts() && !other.is_single() && !filter.is_single() && filter.is_edge() != other.is_edge()) {
        filter = before;
        return ENOTSUP;
    }
    int error = synchronize(q, fd, w);
    if (error == ENOENT && w.registered) {  // another file by now: all that was known is of the one before
        const Filter added = filter;
        w = {};
        filter = added;
        error = synchronize(q, fd, w);
    }
    if (error != 0) w = {};
    return error;
}

int apply(Queue& q, const struct kevent& change) {
    if (change.filter != EVFILT_READ && change.filter != EVFILT_WRITE) return EINVAL;
    if (change.ident >= q.size) return EBADF;
    const int fd = static_cast<int>(change.ident);
    Watched& w = q.table[change.ident];
    const bool reading = change.filter == EVFILT_READ;
    Filter& filter = reading ? w.read : w.write;
    if ((change.flags & EV_ADD) != 0) return apply_add(q, fd, w, filter, reading ? w.write : w.read, change);
    if (!filter.here) return ENOENT;
    if ((change.flags & EV_DELETE) != 0) filter.here = false;
    if ((change.flags & EV_ENABLE) != 0) filter.enabled = true;
    if ((change.flags & EV_DISABLE) != 0) filter.enabled = false;
    const int error = synchronize(q, fd, w);
    if (error != 0) w = {};
    return error;
}

bool is_listening(int fd) {
    int on = 0;
    socklen_t length = sizeof on;
    return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &length) == 0 && on != 0;
}

intptr_t octets_waiting(int fd) {
    int n = 0;
    if (::ioctl(fd, FIONREAD, &n) == 0) return n;
    return is_listening(fd) ? 1 : 0;
}

intptr_t room(int fd) {
    int size = 0, queued = 0;
    socklen_t length = sizeof size;
    ::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length);
    ::ioctl(fd, SIOCOUTQ, &queued);
    return std::max(size - queued, 1);
}

int error_of(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : 0;
}

// What one event of epoll says in the words of kqueue: 0 to 2 events.
int translate(const Watched& w, int fd, uint32_t happened, struct kevent* out) {
    int n = 0;
    const auto say = [&](const Filter& filter, int16_t which, bool eof, intptr_t data) {
        struct kevent& event = out[n++];
        event = {};
        event.ident = static_cast<uintptr_t>(fd);
        event.filter = which;
        event.flags = static_cast<uint16_t>(filter.flags | (eof ? EV_EOF : 0));
        event.fflags = eof ? static_cast<uint32_t>(w.error) : 0;
        event.data = data;
        event.udata = filter.udata;
    };
    const bool read_end = (happened & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0, write_end = (happened & (EPOLLHUP | EPOLLERR)) != 0;
    const auto tell_read = [&] {
        if (!w.read.counts() || (!read_end && (happened & EPOLLIN) == 0)) return;
        // Looking at one filter made epoll look at the other as well, which may have told all already.
        if (const intptr_t octets = octets_waiting(fd); octets != 0 || read_end) say(w.read, EVFILT_READ, read_end, octets);
    };
    const auto tell_write = [&] {
        if (w.write.counts() && (write_end || (happened & EPOLLOUT) != 0)) say(w.write, EVFILT_WRITE, write_end, room(fd));
    };
    // ORDER: relaxed, see there.
    const bool reading_first = read_first.load(std::memory_order_relaxed);
    if (reading_first) tell_read();
    tell_write();
    if (!reading_first) tell_read();
    return n;
}

// Filters that fire once are done with what was told of them.
void settle(Queue& q, const struct kevent* told, int n) {
    for (int i = 0; i < n; ++i) {
        const int fd = static_cast<int>(told[i].ident);
        Watched& w = q.table[told[i].ident];
        Filter& filter = told[i].filter == EVFILT_READ ? w.read : w.write;
        if (!filter.is_single()) continue;
        if ((filter.flags & EV_ONESHOT) != 0) filter.here = false;
        filter.enabled = false;
        if (synchronize(q, fd, w) != 0) w = {};
    }
}

// The event that found no room, unless its filter was taken out since.
int take_kept(Queue& q, struct kevent* events) {
    if (!std::exchange(q.has_kept, false)) return 0;
    const Watched& w = q.table[q.kept.ident];
    const Filter& filter = q.kept.filter == EVFILT_READ ? w.read : w.write;
    if (!filter.counts() || filter.udata != q.kept.udata) return 0;
    events[0] = q.kept;
    settle(q, events, 1);
    return 1;
}

int collect(Queue& q, const epoll_event* happened, int count, struct kevent* events, int nevents) {
    int n = 0;
    for (int i = 0; i < count; ++i) {
        const int fd = happened[i].data.fd;
        Watched& w = q.table[static_cast<size_t>(fd)];
        if ((happened[i].events & EPOLLERR) != 0) {
            if (const int error = error_of(fd); error != 0) w.error = error;
        }
        std::array<struct kevent, 2> told;
        int said = translate(w, fd, happened[i].events, told.data());
        if (said > nevents - n) {
            q.kept = told[1];
            q.has_kept = true;
            said = 1;
        }
        settle(q, told.data(), said);
        std::copy_n(told.begin(), said, events + n);
        n += said;
    }
    return n;
}

uint64_t now_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

int wait(Queue& q, struct kevent* events, int nevents, const timespec* timeout) {
    if (const int n = take_kept(q, events); n != 0) return n;
    std::array<epoll_event, 128> happened;
    const int most = std::clamp(nevents / 2, 1, static_cast<int>(happened.size()));  // each may be two
    const uint64_t span =
        timeout == nullptr ? 0 : static_cast<uint64_t>(timeout->tv_sec) * kSecond + static_cast<uint64_t>(timeout->tv_nsec);
    const uint64_t until = span == 0 ? 0 : now_ns() + span;
    timespec left = timeout == nullptr ? timespec{} : *timeout;
    for (;;) {
        const int count = ::epoll_pwait2(q.fd, happened.data(), most, timeout == nullptr ? nullptr : &left, nullptr);
        if (count <= 0) return count;
        if (const int n = collect(q, happened.data(), count, events, nevents); n != 0) return n;
        if (timeout == nullptr) continue;
        const uint64_t now = now_ns(), rest = now < until ? until - now : 0;
        if (rest == 0) return 0;
        left = {static_cast<time_t>(rest / kSecond), static_cast<long>(rest % kSecond)};
    }
}

}  // namespace

extern "C" int kqueue(void) {
    constexpr rlim_t kMost = 1 << 17;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    Queue q;
    q.size = static_cast<size_t>(std::min(limit.rlim_max, kMost));
    q.fd = ::epoll_create1(EPOLL_CLOEXEC);
    if (q.fd < 0) return -1;
    q.table.reset(static_cast<Watched*>(std::calloc(q.size, sizeof(Watched))));
    const int fd = q.fd;
    const std::lock_guard lock(mutex);
    queues[fd] = std::move(q);  // in place of one of this number that was closed
    return fd;
}

extern "C" int kevent(int kq, const struct kevent* changes, int nchanges, struct kevent* events, int nevents, const timespec* timeout) {
    Queue* const q = find(kq);
    if (q == nullptr) {
        errno = EBADF;
        return -1;
    }
    int n = 0;
    for (int i = 0; i < nchanges; ++i) {
        const int error = apply(*q, changes[i]);
        if (error == 0 && (changes[i].flags & EV_RECEIPT) == 0) continue;
        if (n == nevents) {
            if (error == 0) continue;
            errno = error;
            return -1;
        }
        events[n] = changes[i];
        events[n].flags = EV_ERROR;
        events[n++].data = error;
    }
    return n != 0 || nevents == 0 ? n : wait(*q, events, nevents, timeout);
}

extern "C" void kqueue_shim_read_first(int yes) {
    read_first.store(yes != 0, std::memory_order_relaxed);  // ORDER: relaxed, see there
}
