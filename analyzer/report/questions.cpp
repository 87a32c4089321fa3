// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/questions.h"

#include <fmt/format.h>

#include <set>

namespace moescope {
namespace {

// Share of the MoE layer's own time that is dispatch or combine, per device; median.
Answer<double> token_share(const Trace& trace, const Attribution& attribution, const Analysis& analysis) {
  std::vector<double> shares;
  bool any_expert = false;
  for (const DeviceRows& device : analysis.selection.devices) {
    std::vector<Interval> moe, tokens;
    for (const std::size_t row : device.rows) {
      const Stage role = attribution.role[row];
      if (!kMoeStages.contains(role)) continue;
      const Interval one = analysis.selection.interval(trace, row);
      moe.push_back(one);
      if (role == Stage::kDISPATCH || role == Stage::kCOMBINE) tokens.push_back(one);
      if (role == Stage::kL1 || role == Stage::kL2) any_expert = true;
    }
    const Ns whole = IntervalSet::from(std::move(moe)).measure();
    if (whole > 0)
      shares.push_back(static_cast<double>(IntervalSet::from(std::move(tokens)).measure()) /
                       static_cast<double>(whole));
  }
  if (shares.empty()) return Abstained{"no work of a MoE layer was recognised"};
  if (!any_expert)
    return Abstained{"expert matrix work (l1, l2) was not recognised: a share of the MoE layer would lie"};
  return median(std::move(shares));
}

Question bottleneck(const Trace& trace, const Attribution& attribution, const Analysis& analysis) {
  Question question{
      "bottleneck", "What share of the MoE layer is moving tokens, and what to do first?", Abstained{}, {}};
  const Answer<double> share = token_share(trace, attribution, analysis);
  if (!share) {
    question.answer = Abstained{share.reason()};
    return question;
  }
  question.evidence.push_back({"token_share_of_moe_time", *share});
  const char* const advice = *share >= 0.70
                                 ? "remove communication before hiding it (routing balance, wire format, placement)"
                             : *share >= 0.35 ? "hide it under compute (waves)"
                                              : "make compute faster first";
  question.answer =
      fmt::format("dispatch and combine run during {:.0f} % of the MoE layer's time: {}", 100 * *share, advice);
  return question;
}

Question ratio(const Analysis& analysis) {
  Question question{
      "compute_to_communication", "How does expert compute compare with token transfer?", Abstained{}, {}};
  if (analysis.bounds.empty()) {
    question.answer = Abstained{"no dispatch, combine or expert work was recognised"};
    return question;
  }
  std::string text;
  for (const CommBound& bound : analysis.bounds) {
    if (!bound.headroom_achieved) {
      if (text.empty()) question.answer = Abstained{bound.headroom_achieved.reason()};
      continue;
    }
    question.evidence.push_back({"headroom_achieved." + std::string(name(bound.pass)), *bound.headroom_achieved});
    text += fmt::format("{}{:.2f} of compute for 1 of transfer{}", text.empty() ? "" : "; ", *bound.headroom_achieved,
                        analysis.bounds.size() > 1 ? " (" + std::string(name(bound.pass)) + ")" : std::string());
  }
  if (!text.empty()) question.answer = text;
  return question;
}

Question tiers(const Trace& trace) {
  Question question{"tiers",
                    "What is the bandwidth step between inside and outside the node, and does traffic respect it?",
                    Abstained{},
                    {}};
  std::set<LinkKind> kinds;
  for (const Device& device : trace.devices)
    if (device.link_kind != LinkKind::kUNKNOWN) kinds.insert(device.link_kind);
  if (kinds.empty())
    question.answer = Abstained{"no link is named in the record"};
  else if (kinds.size() == 1)
    question.answer = Abstained{fmt::format("the record names one kind of link only ({})", name(*kinds.begin()))};
  else
    question.answer = Abstained{"the record does not say which bytes crossed which kind of link"};
  return question;
}

Question payable(const Analysis& analysis) {
  Question question{
      "payable", "Are the expert count and top-k payable on these links?", Abstained{"no token traffic"}, {}};
  for (const CommBound& bound : analysis.bounds) {
    const bool achieved = static_cast<bool>(bound.headroom_achieved);
    const Answer<double>& headroom = achieved ? bound.headroom_achieved : bound.headroom_peak;
    if (!headroom) {
      question.answer = Abstained{headroom.reason()};
      continue;
    }
    question.evidence.push_back({achieved ? "headroom_achieved" : "headroom_peak", *headroom});
    question.answer = fmt::format(
        "{}: at {} rates compute lasts {:.2f} times as long as transfer",
        *headroom >= 1 ? "yes, a schedule can hide all of it" : "no, part of it stays exposed under any schedule",
        achieved ? "achieved" : "peak", *headroom);
    break;
  }
  return question;
}

}  // namespace

std::vector<Question> questions(const Trace& trace, const Attribution& attribution, const Analysis& analysis) {
  return {bottleneck(trace, attribution, analysis),
          ratio(analysis),
          tiers(trace),
          payable(analysis),
          {"communication_sms",
           "How many SMs or copy engines does communication hold?",
           Abstained{"launch grids of communication kernels are not read in this version"},
           {}}};
}

}  // namespace moescope
