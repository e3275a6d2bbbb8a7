/* ringload's configuration of wolfSSL 5.5.
 *
 * Read by the library itself and by every file that includes its headers
 * (WOLFSSL_USER_SETTINGS), so that both see the same structures.
 * Preprocessor lines only: the assembly files read it too. */
#ifndef RINGLOAD_WOLFSSL_USER_SETTINGS_H
#define RINGLOAD_WOLFSSL_USER_SETTINGS_H

/* -- platform ------------------------------------------------------------- */
#define HAVE_THREAD_LS                 /* __thread for the error queue ...     */
#define ERROR_QUEUE_PER_THREAD         /* ... which is then never locked       */
#define WC_NO_ASYNC_THREADING
#define WOLFSSL_USE_ALIGN
#ifdef __SIZEOF_INT128__
#define HAVE___UINT128_T 1             /* 64-bit words in the C arithmetic     */
#endif
#define SIZEOF_LONG __SIZEOF_LONG__    /* its own guess is wrong on Win64      */
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define HAVE_UINTPTR_T                 /* also brings <stdint.h>               */
#define HAVE_ERRNO_H
#ifndef _WIN32
#define HAVE_GMTIME_R                  /* plain gmtime() is shared by threads  */
#define HAVE_SYS_TIME_H
#define HAVE_GETADDRINFO
#endif
#ifdef _WIN32
#define SP_WORD_SIZE 32                /* sp_int.h has no 64-bit words there   */
#endif
#ifdef __linux__
#define WOLFSSL_GETRANDOM              /* seed by system call: a connection    */
#endif                                 /* needs no descriptor of /dev/urandom  */

/* -- assembly (the build defines this on x86-64, not on Windows) ------------- */
#ifdef WOLFSSL_X86_64_BUILD
#define WOLFSSL_AESNI                  /* AES, GCM: AES-NI, AVX1, AVX2         */
#define USE_INTEL_SPEEDUP              /* SHA-2, ChaCha, Poly1305, X25519      */
#define WOLFSSL_SP_ASM
#define WOLFSSL_SP_X86_64_ASM          /* P-256/384/521, RSA, DH               */
#endif

/* -- arithmetic ------------------------------------------------------------ */
#define WOLFSSL_SP_MATH_ALL            /* sp_int.c: any size and curve ...     */
#define WOLFSSL_HAVE_SP_ECC            /* ... and fixed-size code for these    */
#define WOLFSSL_HAVE_SP_RSA
#define WOLFSSL_HAVE_SP_DH
#define WOLFSSL_SP_384
#define WOLFSSL_SP_521
#define WOLFSSL_SP_4096
#define WOLFSSL_SP_LARGE_CODE
#define TFM_TIMING_RESISTANT
#define ECC_TIMING_RESISTANT
#define WC_RSA_BLINDING

/* -- algorithms ------------------------------------------------------------ */
#define HAVE_ECC
#define ECC_USER_CURVES                /* P-256 and these two, no others       */
#define HAVE_ECC384
#define HAVE_ECC521
#define ECC_SHAMIR
#define HAVE_CURVE25519
#define HAVE_ED25519
#define HAVE_DH_DEFAULT_PARAMS
#define HAVE_FFDHE_2048
#define WC_RSA_PSS
#define WOLFSSL_PSS_LONG_SALT
#define HAVE_AESGCM
#define WOLFSSL_AESGCM_STREAM          /* EVP (QUIC) without gathering input   */
#define GCM_TABLE_4BIT                 /* the way without AES instructions     */
#define WOLFSSL_AES_COUNTER
#define WOLFSSL_AES_DIRECT
#define HAVE_AES_ECB                   /* QUIC header protection               */
#define HAVE_CHACHA
#define HAVE_POLY1305
#define WOLFSSL_SHA224
#define WOLFSSL_SHA384
#define WOLFSSL_SHA512
#define HAVE_HKDF
#define HAVE_HASHDRBG
#define WOLFSSL_BASE64_ENCODE          /* JWT                                  */
#define WOLFSSL_ENCRYPTED_KEYS         /* pass phrase on a PEM key             */
#define NO_DES3
#define NO_DSA
#define NO_MD4
#define NO_PSK
#define NO_RC4

/* -- TLS ------------------------------------------------------------------- */
#define NO_OLD_TLS                     /* 1.2 and 1.3 only                     */
#define WOLFSSL_TLS13
#define HAVE_TLS_EXTENSIONS
#define HAVE_SUPPORTED_CURVES
#define HAVE_EXTENDED_MASTER
#define HAVE_ENCRYPT_THEN_MAC
#define HAVE_SERVER_RENEGOTIATION_INFO
#define HAVE_SNI
#define HAVE_ALPN
#define HAVE_MAX_FRAGMENT
#define HAVE_SESSION_TICKET
#define HAVE_EXT_CACHE
#define WOLFSSL_EARLY_DATA
#define WOLFSSL_POST_HANDSHAKE_AUTH
#define WOLFSSL_QUIC
#define WOLFSSL_EXTRA_ALERTS
#define HAVE_KEYING_MATERIAL
#define HAVE_SECRET_CALLBACK           /* key log                              */

/* -- certificates ---------------------------------------------------------- */
#define HAVE_OCSP
#define HAVE_CERTIFICATE_STATUS_REQUEST
#define HAVE_CERTIFICATE_STATUS_REQUEST_V2
#define HAVE_CRL
#define WOLFSSL_SYS_CA_CERTS
#define WOLFSSL_IP_ALT_NAME            /* an address is a name that can match  */
#define WOLFSSL_ALT_CERT_CHAINS        /* accept a cross-signed chain          */
#define WOLFSSL_ALWAYS_VERIFY_CB
#define WOLFSSL_VERIFY_CB_ALL_CERTS
#define WOLFSSL_AKID_NAME

/* -- interfaces ------------------------------------------------------------ */
#define OPENSSL_EXTRA                  /* X509 access, error strings, QUIC     */
#define HAVE_EX_DATA

#endif
