"""On whose side do the octets wait? The kernel's socket table, read while client and target are both stopped.

CPU shares cannot tell who is the bottleneck when both sides spin. Unread octets can: behind a slow client, answers wait in its sockets;
behind a slow target, requests wait in the target's.
"""
PROBES = 6  # looks per contestant and repetition; even
ESTABLISHED = '01'


def _sockets():
    """(local port, remote port, unread octets) of each established connection of this network namespace."""
    for table in ('/proc/net/tcp', '/proc/net/tcp6'):
        try:
            with open(table) as file:
                next(file)
                for line in file:
                    words = line.split()
                    if words[3] == ESTABLISHED:
                        yield (int(words[1].rpartition(':')[2], 16), int(words[2].rpartition(':')[2], 16),
                               int(words[4].partition(':')[2], 16))
        except FileNotFoundError:
            pass


def client_ports(target_port):
    """Local ports of all connections that lead to the target."""
    return {local for local, remote, _ in _sockets() if remote == target_port}


def waiting(target_port, ports):
    """(at the client, at the target): how many of the connections from these ports have unread octets on that side."""
    at_client, at_target = set(), set()  # the table shows a connection twice when others come and go while it is read
    for local, remote, unread in _sockets():
        if unread and remote == target_port and local in ports:
            at_client.add(local)
        elif unread and local == target_port and remote in ports:
            at_target.add(remote)
    return len(at_client), len(at_target)
