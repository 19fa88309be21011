// Outcomes in JSON documents: fields() lists them by outcome_fields().
#pragma once

#include "base/json.h"
#include "base/outcome.h"

namespace sidecore::json {

/// Name and description of one member.
struct MemberName {
  const char* name;
  About about = {};
};

/// Lists an outcome as two members: its value, T() if there is none, and its reason, "" if there is
/// none. Readers take the value only if the reason is empty and the value is not T().
template <class T>
void outcome_fields(auto& json, Outcome<T>& outcome, const MemberName& value_member,
                    const MemberName& reason_member) {
  T value = outcome.value.value_or(T());
  json(value_member.name, value, value_member.about);
  json(reason_member.name, outcome.reason, reason_member.about);
  outcome.value.reset();
  if (outcome.reason.empty() && value != T()) outcome.value = std::move(value);
}

}  // namespace sidecore::json
