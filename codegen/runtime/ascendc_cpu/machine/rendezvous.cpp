#include "rendezvous.h"

#include <thread>

#include "core.h"

namespace ascendc_cpu {

Rendezvous::Rendezvous(int cores, bool reverse, std::function<void()> on_meeting)
    : cores_(cores),
      reverse_(reverse),
      on_meeting_(std::move(on_meeting)),
      states_(static_cast<std::size_t>(cores), State::READY),
      workspaces_(static_cast<std::size_t>(cores), nullptr),
      deadlock_(static_cast<std::size_t>(cores)) {}

void Rendezvous::run(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    states_[static_cast<std::size_t>(first(State::READY))] = State::RUNNING;
  }
  for (int core = 0; core < cores_; ++core) {
    threads.emplace_back([this, core, &body] {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wait_for_turn(lock, core);
      }
      body(core);
      std::lock_guard<std::mutex> lock(mutex_);
      states_[static_cast<std::size_t>(core)] = State::ENDED;
      pass_turn();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Rendezvous::wait_for_turn(std::unique_lock<std::mutex>& lock, int core) {
  turn_.wait(lock, [&] { return states_[static_cast<std::size_t>(core)] == State::RUNNING; });
}

// First core in turn order that is in a state; -1 if none is.
int Rendezvous::first(State state) const {
  for (int i = 0; i < cores_; ++i) {
    const int core = reverse_ ? cores_ - 1 - i : i;
    if (states_[static_cast<std::size_t>(core)] == state) return core;
  }
  return -1;
}

bool Rendezvous::release_if_met() {
  for (State state : states_) {
    if (state != State::WAITING) return false;
  }
  for (const void* workspace : workspaces_) {
    if (workspace != workspaces_.front()) return false;
  }
  states_.assign(states_.size(), State::READY);
  on_meeting_();
  return true;
}

void Rendezvous::pass_turn() {
  int next = first(State::READY);
  if (next < 0 && release_if_met()) next = first(State::READY);
  if (next < 0) {
    next = first(State::WAITING);
    if (next < 0) return;
    // Whoever still waits can never go on: the first of them reports it.
    const int ended = first(State::ENDED);
    deadlock_[static_cast<std::size_t>(next)] =
        ended < 0 ? "cores wait in different forms of SyncAll" : say("core ", ended, " ended without it: the others wait for ever");
  }
  states_[static_cast<std::size_t>(next)] = State::RUNNING;
  turn_.notify_all();
}

std::string Rendezvous::arrive(int core, const void* workspace) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::size_t self = static_cast<std::size_t>(core);
  states_[self] = State::WAITING;
  workspaces_[self] = workspace;
  pass_turn();
  wait_for_turn(lock, core);
  if (cancelled_) throw Cancelled{};
  return deadlock_[self];
}

std::int32_t Rendezvous::meetings(int core, const void* workspace) const {
  const auto found = met_.find({core, workspace});
  return found == met_.end() ? 0 : found->second;
}

void Rendezvous::cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
}

}  // namespace ascendc_cpu
