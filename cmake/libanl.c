/* The names of glibc's libanl.so.1, to link libmuster to: zig has no such library (MusterGlibc.cmake). From glibc 2.34
 * on the functions are in libc, and this library, which every glibc has, only leads to them. */
void getaddrinfo_a(void);
void gai_cancel(void);
void gai_error(void);
void gai_suspend(void);

void getaddrinfo_a(void) {}
void gai_cancel(void) {}
void gai_error(void) {}
void gai_suspend(void) {}
