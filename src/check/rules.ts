import type { Rule } from "./rule.ts";
import { badCall } from "./rules/bad-call.ts";
import { badContainer } from "./rules/bad-container.ts";
import { badNetwork } from "./rules/bad-network.ts";
import { bracesInRun } from "./rules/braces-in-run.ts";
import { cannotFail } from "./rules/cannot-fail.ts";
import { capAboveStock } from "./rules/cap-above-stock.ts";
import { containerNotReady } from "./rules/container-not-ready.ts";
import { crlfInRun } from "./rules/crlf-in-run.ts";
import { deadReference } from "./rules/dead-reference.ts";
import { deadRoute } from "./rules/dead-route.ts";
import { defaultNetwork } from "./rules/default-network.ts";
import { decideBy } from "./rules/decide-by.ts";
import { duplicateEdge } from "./rules/duplicate-edge.ts";
import { edgeFromEnd } from "./rules/edge-from-end.ts";
import { failureSwallowed } from "./rules/failure-swallowed.ts";
import { fieldWithoutEffect } from "./rules/field-without-effect.ts";
import { gateBypass } from "./rules/gate-bypass.ts";
import { humanMode } from "./rules/human-mode.ts";
import { inputCollision } from "./rules/input-collision.ts";
import { joinUnmet } from "./rules/join-unmet.ts";
import { loopWithTwoEntries } from "./rules/loop-with-two-entries.ts";
import { loopWithoutBound } from "./rules/loop-without-bound.ts";
import { loopsTooDeep } from "./rules/loops-too-deep.ts";
import { mixedEdges } from "./rules/mixed-edges.ts";
import { nearReference } from "./rules/near-reference.ts";
import { onlyUnconditional } from "./rules/only-unconditional.ts";
import { optionWithoutEdge } from "./rules/option-without-edge.ts";
import { parallelReference } from "./rules/parallel-reference.ts";
import { pipeHidesFailure } from "./rules/pipe-hides-failure.ts";
import { readsOwnState } from "./rules/reads-own-state.ts";
import { referenceInRun } from "./rules/reference-in-run.ts";
import { taintedValue } from "./rules/tainted-value.ts";
import { unknownNode } from "./rules/unknown-node.ts";
import { unknownOutcome } from "./rules/unknown-outcome.ts";
import { unknownReference } from "./rules/unknown-reference.ts";
import { unknownTool } from "./rules/unknown-tool.ts";
import { changedCallee } from "./rules/changed-callee.ts";
import { unpinnedCall } from "./rules/unpinned-call.ts";
import { unreachableNode } from "./rules/unreachable-node.ts";
import { valueNotReady } from "./rules/value-not-ready.ts";
import { wrongType } from "./rules/wrong-type.ts";

/** Every rule, in the order in which they run; the report is sorted by position. */
export const rules: readonly Rule[] = [
  unknownNode,
  edgeFromEnd,
  mixedEdges,
  unknownOutcome,
  duplicateEdge,
  deadRoute,
  humanMode,
  fieldWithoutEffect,
  decideBy,
  capAboveStock,
  inputCollision,
  unknownTool,
  unpinnedCall,
  changedCallee,
  badCall,
  unknownReference,
  wrongType,
  nearReference,
  taintedValue,
  badContainer,
  badNetwork,
  defaultNetwork,
  referenceInRun,
  bracesInRun,
  cannotFail,
  pipeHidesFailure,
  crlfInRun,
  readsOwnState,
  unreachableNode,
  failureSwallowed,
  onlyUnconditional,
  optionWithoutEdge,
  loopWithoutBound,
  loopWithTwoEntries,
  joinUnmet,
  loopsTooDeep,
  containerNotReady,
  valueNotReady,
  parallelReference,
  deadReference,
  gateBypass,
];
