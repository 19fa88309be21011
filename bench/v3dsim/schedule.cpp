#include "v3dsim/schedule.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sidecore::v3dsim {

Schedule::Schedule(const Machine& machine, const ScheduleConstants& constants,
                   unsigned threads_per_qpu)
    : constants_(constants),
      qpus_(machine.qpus),
      units_(machine.slices),
      groups_(constants.supergroups) {
  for (Qpu& qpu : qpus_) qpu.slots.resize(threads_per_qpu);
}

void Schedule::supergroup(std::span<Trace> threads) {
  waiting_.emplace_back(std::make_move_iterator(threads.begin()),
                        std::make_move_iterator(threads.end()));
  place(now_);
  // The loop ends when no supergroup waits, because time may advance only while the next supergroup
  // to be placed is known.
  while (!waiting_.empty()) step();
}

double Schedule::finish() {
  while (live_ != 0) step();
  return now_;
}

/// Places threads on the QPUs with the fewest threads. All threads of a supergroup with barriers
/// must be alive at once, so they wait until all of them fit. The driver then makes no supergroup
/// larger than half of the slots.
void Schedule::place(double now) {
  while (!waiting_.empty()) {
    std::vector<Trace>& threads = waiting_.front();
    if (placed_of_first_ == 0) {
      if (in_flight_ == constants_.supergroups) return;
      const bool barriers = std::ranges::any_of(threads.front(), [](const TraceEvent& event) {
        return event.kind == TraceEvent::Kind::barrier;
      });
      const std::size_t slots = qpus_.size() * qpus_.front().slots.size();
      if (barriers && live_ != 0 && slots - live_ < threads.size()) return;
      group_of_first_ =
          static_cast<std::size_t>(std::ranges::find(groups_, 0U, &Group::live) - groups_.begin());
      groups_[group_of_first_].live = static_cast<unsigned>(threads.size());
      ++in_flight_;
      start_of_first_ = now + constants_.start;
    }
    while (placed_of_first_ < threads.size()) {
      Qpu& qpu = *std::ranges::min_element(qpus_, {}, &Qpu::live);
      if (qpu.live == qpu.slots.size()) return;
      Running& thread = *std::ranges::find(qpu.slots, false, &Running::live);
      thread.trace = std::move(threads[placed_of_first_++]);
      thread.next = 0;
      thread.ready = std::max(now, start_of_first_);
      thread.drained = 0.0;
      thread.word_count = 0;
      thread.group = group_of_first_;
      thread.live = true;
      thread.at_barrier = false;
      ++qpu.live;
      ++live_;
      if (qpu.next == kNever) choose(qpu, now);
    }
    waiting_.pop_front();
    placed_of_first_ = 0;
  }
}

void Schedule::step() {
  const auto qpu = std::ranges::min_element(qpus_, {}, &Qpu::next);
  if (qpu->next == kNever) throw std::logic_error("the schedule is stuck: no thread can run");
  now_ = std::max(now_, qpu->next);
  run_event(static_cast<std::size_t>(qpu - qpus_.begin()), qpu->next);
}

/// Chooses the next thread of a QPU: the first thread that is ready, otherwise the thread that will
/// be ready first.
void Schedule::choose(Qpu& qpu, double now) {
  const std::size_t count = qpu.slots.size();
  Running* best = nullptr;
  std::size_t best_slot = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t slot = (qpu.current + i) % count;
    Running& thread = qpu.slots[slot];
    if (!thread.live || thread.at_barrier) continue;
    if (best == nullptr || std::max(thread.ready, now) < std::max(best->ready, now)) {
      best = &thread;
      best_slot = slot;
    }
  }
  if (best == nullptr) {
    qpu.next = kNever;
    return;
  }
  qpu.current = best_slot;
  const double issue = constants_.instruction * best->trace[best->next].instructions;
  issued_ += issue;
  qpu.next = std::max({qpu.free_at, best->ready, now}) + issue;
}

/// Enters a request. Returns the time at which it is in the queue and the thread may continue.
double Schedule::request(std::size_t qpu, Running& thread, const TraceEvent& event, double now) {
  Unit& unit = units_[qpu % units_.size()];
  while (!unit.begins.empty() && unit.begins.front() <= now) unit.begins.pop_front();
  double entered = now;
  if (static_cast<double>(unit.begins.size()) >= constants_.queue) {
    entered = unit.begins[unit.begins.size() - static_cast<std::size_t>(constants_.queue)];
  }
  const double begin = std::max(entered, unit.free_at);
  const double cost = constants_.request + constants_.word * event.words;
  served_ += cost;
  unit.free_at = begin + cost;
  double there = unit.free_at;
  if (const unsigned lines = event.fetched + event.written; lines != 0) {
    moved_ += lines;
    memory_free_at_ = std::max(memory_free_at_, begin) + constants_.line * lines;
    if (event.fetched != 0) there = std::max(there, memory_free_at_) + constants_.latency;
    unit.free_at =
        std::max(unit.free_at, memory_free_at_ - constants_.line * constants_.memory_queue);
  }
  unit.begins.push_back(begin);
  if (event.kind == TraceEvent::Kind::store) {
    thread.drained = unit.free_at;
  } else {
    for (unsigned i = 0; i < event.words && thread.word_count < thread.words.size(); ++i) {
      thread.words[(thread.first_word + thread.word_count++) % thread.words.size()] = there;
    }
  }
  return entered;
}

void Schedule::run_event(std::size_t index, double now) {
  Qpu& qpu = qpus_[index];
  Running& thread = qpu.slots[qpu.current];
  const TraceEvent& event = thread.trace[thread.next++];
  switch (event.kind) {
    case TraceEvent::Kind::load:
    case TraceEvent::Kind::store:
      now = request(index, thread, event, now);
      break;
    case TraceEvent::Kind::take:
      if (thread.word_count != 0) {
        now = std::max(now, thread.words[thread.first_word]);
        thread.first_word = (thread.first_word + 1) % static_cast<unsigned>(thread.words.size());
        --thread.word_count;
      }
      break;
    case TraceEvent::Kind::drain:
      now = std::max(now, thread.drained);
      break;
    case TraceEvent::Kind::thread_switch:
      qpu.free_at = now;
      thread.ready = thread.word_count != 0 ? thread.words[thread.first_word] : now;
      return choose(qpu, now);
    case TraceEvent::Kind::barrier: {
      qpu.free_at = now;
      thread.at_barrier = true;
      Group& group = groups_[thread.group];
      if (++group.waiting == group.live) return release(thread.group, qpu, now);
      return choose(qpu, now);
    }
    case TraceEvent::Kind::end:
      qpu.free_at = now;
      return leave(index, now);
  }
  qpu.free_at = now;
  const double issue = constants_.instruction * thread.trace[thread.next].instructions;
  issued_ += issue;
  qpu.next = now + issue;
}

/// Releases a barrier; `last` is the QPU of the last thread to arrive.
void Schedule::release(std::size_t index, Qpu& last, double now) {
  groups_[index].waiting = 0;
  for (Qpu& qpu : qpus_) {
    bool woken = false;
    for (Running& thread : qpu.slots) {
      if (!thread.live || !thread.at_barrier || thread.group != index) continue;
      thread.at_barrier = false;
      thread.ready = now;
      woken = true;
    }
    if (&qpu == &last || (woken && qpu.next == kNever)) choose(qpu, now);
  }
}

void Schedule::leave(std::size_t index, double now) {
  Qpu& qpu = qpus_[index];
  Running& thread = qpu.slots[qpu.current];
  thread.live = false;
  --qpu.live;
  --live_;
  if (--groups_[thread.group].live == 0) --in_flight_;
  choose(qpu, now);
  place(now);
}

}  // namespace sidecore::v3dsim
