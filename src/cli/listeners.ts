import type { World } from "./world.ts";
import { type Notices, noticesOf } from "./notices.ts";
import type { Prepared } from "./prepare.ts";

/** Whoever is told of what a run does, beside its screen: people, and a collector of traces where the environment names one. */
export async function listenersOf(world: World, { config, blueprint }: Prepared, cwd: string): Promise<Notices> {
  const notices = noticesOf(world, config.notify, blueprint.name, cwd);
  if (!isTraced(world.env)) return notices;
  const { openTraces } = await import("./tracing/traces.ts");
  const traces = openTraces(blueprint);
  return {
    // People are told of what is asked inside too.
    ...notices,
    event(event) {
      notices.event(event);
      traces.event(event);
    },
    async sent() {
      await Promise.all([notices.sent(), traces.close()]);
    },
  };
}

/** By the variables that OpenTelemetry defines. Nothing is sent where none of them asks for it. */
function isTraced(env: World["env"]): boolean {
  const isSet = (name: string): boolean => (env[name] ?? "").trim() !== "";
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none") return false;
  return isSet("OTEL_EXPORTER_OTLP_ENDPOINT") || isSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
}
