import { z } from 'zod';

/** Two people who are in one room. */
export const pair = z.object({ sessionId: z.number(), from: z.number(), to: z.number() });
export type Pair = z.infer<typeof pair>;

/** From the benchmark to a process. */
export const order = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    databaseUrl: z.string(),
    organizationId: z.number(),
    pairs: z.array(pair),
    /** Whether it has connections of the people who are sent to. */
    listens: z.boolean(),
  }),
  z.object({ type: z.literal('send'), rate: z.number(), seconds: z.number() }),
  /** What happened since the last one. */
  z.object({ type: z.literal('report') }),
  z.object({ type: z.literal('stop') }),
]);
export type Order = z.infer<typeof order>;

/** A process's answer to each order. */
export const report = z.object({
  cpuMs: z.number(),
  /** Milliseconds from one process to the other, for each signal that arrived. */
  delays: z.array(z.number()),
});
export type Report = z.infer<typeof report>;
