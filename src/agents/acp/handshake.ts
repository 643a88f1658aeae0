import {
  type ClientContext,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import { Unfit } from "./faults.ts";

/**
 * Tells an agent who we are and that its files are no business of ours. Rejects where it speaks another
 * version of the protocol, and with what the connection or the agent says.
 */
export async function introduce(agent: ClientContext, patience: AbortSignal): Promise<InitializeResponse> {
  const answer = await agent.request(
    methods.agent.initialize,
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "trammel", version: "1" },
    },
    { cancellationSignal: patience },
  );
  const { protocolVersion } = answer;
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Unfit(`the agent speaks version ${protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`);
  return answer;
}
