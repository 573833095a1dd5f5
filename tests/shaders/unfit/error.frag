//! error: 4 #error: no such thing
#define A
#ifdef A
#error no such thing
#endif
void main() {
}
