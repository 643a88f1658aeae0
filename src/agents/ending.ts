import { zeroUsage } from "../model/usage.ts";

/** Of an agent that has not begun. */
export const untouched = { message: "", usage: zeroUsage, beforeEffect: true } as const;

/** How one ends that was stopped. */
export const cancelled = {
  outcome: "cancelled",
  reason: { code: "cancelled", text: "the agent was stopped" },
  message: "",
} as const;
