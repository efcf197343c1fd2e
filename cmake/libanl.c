/* The symbols of glibc's libanl.so.1, to link libmuster against: zig has no such library
 * (MusterGlibc.cmake). Since glibc 2.34 the functions are in libc, and this library, which every glibc
 * has, only forwards to them. */
void getaddrinfo_a(void);
void gai_cancel(void);
void gai_error(void);
void gai_suspend(void);

void getaddrinfo_a(void) {}
void gai_cancel(void) {}
void gai_error(void) {}
void gai_suspend(void) {}
