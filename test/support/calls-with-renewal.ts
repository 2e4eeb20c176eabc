import { setTimeout as sleep } from 'node:timers/promises';
import { type Clinic, type ClinicAnswer, clinicAt, foundClient } from './clinic.ts';
import { type Create, newCreate, send } from './keyed-creates.ts';

/** Hands, and milliseconds from one patient of a hand to its next. */
const HANDS = 10;
const EVERY_MS = 200;

/** Keyed creates, each sent anew until it is acknowledged and then read, of an app that takes a new token where the old one is refused. */
export async function startCalls(address: string, databaseUrl: string) {
  const { organizationId, token, newToken } = await foundClient(address, databaseUrl, ['integration.read', 'integration.write']);
  let clinic: Clinic = clinicAt(address, token, organizationId);
  const stopping = new AbortController();
  const creates: Create[] = [];
  const seen = { statuses: new Map<number, number>(), slowestMs: 0 };
  let renewing: Promise<void> | null = null;
  /** One new token for all hands. */
  const renew = async () => {
    clinic = clinicAt(address, await newToken(), organizationId);
    renewing = null;
  };
  const timed = async (call: () => Promise<ClinicAnswer | null>) => {
    const start = performance.now();
    const answer = await call();
    const status = answer?.status ?? 0;
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - start);
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    if (status === 401) {
      renewing ??= renew();
      await renewing;
    }
    return answer;
  };
  const hand = async () => {
    while (!stopping.signal.aborted) {
      const create = newCreate();
      creates.push(create);
      while (!create.acknowledged && !stopping.signal.aborted) {
        const next = sleep(EVERY_MS);
        const answer = await timed(() => send(clinic, create));
        if (answer?.status === 200) create.acknowledged = answer;
        await next;
      }
      await timed(() => clinic.get(`/patients/mrn/${create.recordNumber}`));
    }
  };
  const hands = Promise.all(Array.from({ length: HANDS }, hand));
  hands.catch(() => {});
  const stop = async () => {
    stopping.abort();
    await hands;
    // A token that was refused last is renewed for what comes after.
    await timed(() => clinic.get('/appointments/types'));
  };
  return { organizationId, creates, seen, clinic: () => clinic, stop };
}
