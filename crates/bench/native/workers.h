// Threads that do steps of a piece of work together, again and again.
#pragma once
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>
#include <xmmintrin.h>

class Workers {
public:
    // So many threads, the caller of `work` among them, take so many steps at a time.
    Workers(int threads, int steps, int at_a_time, void (*step)(int))
        : steps(steps), at_a_time(at_a_time), step(step), begin(threads), end(threads) {
        flush_denormals();
        for (int n = 1; n < threads; n++)
            others.emplace_back([this] {
                flush_denormals();
                for (;;) {
                    begin.arrive_and_wait();
                    if (ends) return;
                    take_steps();
                    end.arrive_and_wait();
                }
            });
    }

    ~Workers() {
        ends = true;
        begin.arrive_and_wait();
        for (std::thread &other : others) other.join();
    }

    // Does all steps.
    void work() {
        next = 0;
        begin.arrive_and_wait();
        take_steps();
        end.arrive_and_wait();
    }

private:
    // As the shaders' machines do.
    static void flush_denormals() { _mm_setcsr(_mm_getcsr() | 0x8040); }

    void take_steps() {
        for (int first; (first = next.fetch_add(at_a_time)) < steps;)
            for (int at = first; at < std::min(first + at_a_time, steps); at++) step(at);
    }

    const int steps, at_a_time;
    void (*const step)(int);
    std::atomic<int> next{0};
    std::atomic<bool> ends{false};
    std::barrier<> begin, end;
    std::vector<std::thread> others;
};
