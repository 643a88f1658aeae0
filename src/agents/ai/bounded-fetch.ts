import { limits } from "../../model/limits.ts";
import { beginning, bounded } from "../../runtime/http/bounded.ts";

const nameIt = "if it is to be used, name it as baseUrl";
const bound = { bytes: limits.agentAnswerBytes, lineBytes: limits.agentAnswerLineBytes };

/**
 * `fetch` that goes to no other address than the one it is given, whatever that one says: the vendors' own headers for
 * keys would go along. Of an answer that refuses, the beginning is read; one that goes beyond its bounds breaks off.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, { ...init, redirect: "manual" });
  const to = answer.status >= 300 && answer.status < 400 ? answer.headers.get("location") : null;
  if (to !== null) throw new Error(`the provider sends on to ${to}, which gets neither key nor prompt; ${nameIt}`);
  return answer.ok ? bounded(answer, bound) : beginning(answer, limits.agentRefusalBytes);
};
