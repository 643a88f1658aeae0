import { createHash } from "node:crypto";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Callees, Observer } from "../../runtime/api.ts";
import { version } from "../version.ts";
import { RunTracer } from "./run-tracer.ts";

export interface Traces {
  event(event: JournalEvent): void;
  inside(parent: ParentLink): Observer;
  /**
   * Sends what is left, for `limits.tracesCloseMs` at the longest; what has not gone
   * out by then is lost, and so it is said to nobody.
   */
  close(): Promise<void>;
}

/**
 * Spans of one run to the collector that OpenTelemetry's own variables name, in the background: the queue is bounded,
 * what a collector does not take is dropped. A run that is resumed goes on in the same trace.
 */
export function openTraces(blueprint: Blueprint, callees: Callees): Traces {
  let open: { readonly provider: TracerProvider; readonly tracer: RunTracer } | null = null;
  return {
    event(event) {
      open ??= begin(event.run, blueprint, callees);
      open.tracer.event(event);
    },
    inside: (parent) => open?.tracer.inside(parent) ?? unseen,
    async close() {
      if (open === null) return;
      open.tracer.close();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limits.tracesCloseMs);
      await Promise.race([open.provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

const unseen: Observer = { event: () => undefined, progress: () => undefined };

function begin(
  run: string,
  blueprint: Blueprint,
  callees: Callees,
): { readonly provider: TracerProvider; readonly tracer: RunTracer } {
  const ids = new RandomIdGenerator();
  const traceId = createHash("sha256").update(run).digest("hex").slice(0, 32);
  const own = resourceFromAttributes({ "service.name": "trammel", "service.version": version });
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => ids.generateSpanId() },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ timeoutMillis: limits.tracesExportMs }),
        maxQueueSize: limits.tracesQueuedSpans,
        scheduledDelayMillis: limits.tracesDelayMs,
      }),
    ],
  });
  const tracer = provider.getTracer("trammel", version);
  return { provider, tracer: new RunTracer({ tracer, blueprint, callees, around: ROOT_CONTEXT }) };
}
