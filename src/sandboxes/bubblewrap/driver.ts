import type { SandboxDriver } from "../../ports/sandbox.ts";
import type { DriverParts } from "../parts.ts";
export function bubblewrapDriver(_parts: DriverParts): SandboxDriver { throw new Error("not yet"); }
