// The cores of a launch take turns: one runs until it meets the others in SyncAll or ends, then the next. So a run is the same every time,
// and what one core must not see of another is found by comparing histories, not by luck.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ascendc_cpu {

// Thrown into a waiting core when the launch has failed elsewhere.
struct Cancelled {};

class Rendezvous {
 public:
  // `on_meeting` runs once whenever all cores have met.
  Rendezvous(int cores, bool reverse, std::function<void()> on_meeting);

  // Runs `body(core)` for every core on a thread of its own; returns when all have ended.
  void run(const std::function<void(int)>& body);

  // Called by a core: waits until all cores have arrived through the same workspace (nullptr: the hardware form). Returns a sentence if
  // they never can, else nothing.
  std::string arrive(int core, const void* workspace);

  // How often a core has met through a GM workspace.
  std::int32_t meetings(int core, const void* workspace) const;
  void count_meeting(int core, const void* workspace) { ++met_[{core, workspace}]; }

  // The launch has failed: cores that wait, or arrive later, end.
  void cancel();

 private:
  enum class State { READY, RUNNING, WAITING, ENDED };

  void wait_for_turn(std::unique_lock<std::mutex>& lock, int core);
  void pass_turn();
  bool release_if_met();
  int first(State state) const;

  int cores_;
  bool reverse_;
  bool cancelled_ = false;
  std::function<void()> on_meeting_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  std::vector<State> states_;
  std::vector<const void*> workspaces_;
  std::vector<std::string> deadlock_;  // why a waiting core can never go on
  std::map<std::pair<int, const void*>, std::int32_t> met_;
};

}  // namespace ascendc_cpu
