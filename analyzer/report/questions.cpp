// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/questions.h"

#include <fmt/format.h>

#include <set>

#include "analyzer/model/parallel.h"

namespace moescope {
namespace {

// Token movement against everything else in the MoE layer, as if one followed the other; median over devices.
Answer<double> token_share(const Trace& trace, const Attribution& attribution, const Analysis& analysis) {
  const std::vector<DeviceRows>& devices = analysis.selection.devices;
  struct Share {
    UnionLength tokens, rest;
    bool expert = false;
  };
  std::vector<Share> parts(devices.size());
  each_in_parallel(parts.size(), trace.spans.size(), [&] {
    return [&](std::size_t device) {
      Share part;
      for (const std::size_t row : devices[device].rows) {
        const Stage role = attribution.role[row];
        if (!kMoeStages.contains(role)) continue;
        (kTokenStages.contains(role) ? part.tokens : part.rest).add(analysis.selection.interval(trace, row));
        part.expert = part.expert || role == Stage::kL1 || role == Stage::kL2;
      }
      parts[device] = part;
    };
  });
  std::vector<double> shares;
  bool any_expert = false;
  for (const Share& part : parts) {
    const auto moving = static_cast<double>(part.tokens.length()), other = static_cast<double>(part.rest.length());
    any_expert = any_expert || part.expert;
    if (moving + other > 0) shares.push_back(moving / (moving + other));
  }
  if (shares.empty()) return Abstained{"no work of a MoE layer was recognised"};
  if (!any_expert)
    return Abstained{"expert matrix work (l1, l2) was not recognised: a share of the MoE layer would mislead"};
  return median(std::move(shares));
}

Question bottleneck(const Trace& trace, const Attribution& attribution, const Analysis& analysis) {
  Question question;
  question.id = "bottleneck";
  question.text = "What share of the MoE layer is moving tokens, and what to do first?";
  const Answer<double> share = token_share(trace, attribution, analysis);
  if (!share) {
    question.answer = Abstained{share.reason()};
    return question;
  }
  question.evidence.push_back({"token_share_of_moe_time", *share});
  const bool forced = analysis.router.synthetic;
  std::string advice = *share >= 0.70   ? forced ? "remove communication first (wire format, placement)"
                                                 : "remove communication first (routing balance, wire format, placement)"
                       : *share >= 0.35 ? "hide it under compute first (waves)"
                                        : "make compute faster first";
  if (const auto hidden = evaluate_over_ranks(*find_metric(Grain::kRank, "hidden_fraction"), analysis, 0)) {
    question.evidence.push_back({"ranks.hidden_fraction", hidden->median});
    if (hidden->median >= 0.9)
      advice = fmt::format("{:.1f} % of communication is hidden already, so it is not what holds the step up",
                           100 * hidden->median);
  }
  question.answer = fmt::format("dispatch and combine are {:.0f} % of the MoE layer's work: {}", 100 * *share, advice);
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
    text +=
        fmt::format("{}{}expert compute lasts {:.2f} times as long as token transfer", text.empty() ? "" : "; ",
                    bound.pass == Pass::kUNKNOWN ? "" : std::string(name(bound.pass)) + ": ", *bound.headroom_achieved);
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
    const std::string verdict =
        *headroom >= 1 ? std::string("yes: the experts' compute is long enough to hide all of it")
                       : fmt::format(
                             "not by the experts alone: they can hide at most {:.0f} % of it; the rest needs other "
                             "compute to hide under, or fewer bytes",
                             100 * *headroom);
    question.answer = verdict + (achieved ? " (at the rates reached)" : " (at peak rates)");
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
