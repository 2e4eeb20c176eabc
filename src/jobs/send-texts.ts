import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../database/keyring.ts';
import { jobCaller } from '../domain/caller.ts';
import { prepareText, recordTextFailed, recordTextSent } from '../domain/messaging/texts/outgoing-texts.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../gateways/carrier.ts';
import type { QueueHandler } from './queue.ts';

/** A carrier that does not answer for so long is asked again later, under the same reference. */
const PATIENCE_MS = 30_000;

interface SendingDeps {
  unitOfWork: UnitOfWork;
  carrier: Carrier;
  keyring: Keyring;
  /** Where the carrier reports what became of a text of the organization; null where it cannot. */
  statusUrl: string | null;
  /** Whatever the hour is (decideText). */
  ignoreQuietHours?: boolean;
}

/**
 * Sends texts: what is to be done is decided and noted in one transaction, the carrier is asked between transactions, and
 * what it says is noted in another. Killed anywhere in between, the next attempt hands over the same reference, which the
 * carrier knows.
 */
export function sendTexts({ unitOfWork, carrier, keyring, statusUrl, ignoreQuietHours = false }: SendingDeps): QueueHandler {
  return {
    async run(organizationId, id) {
      const caller = jobCaller(organizationId, 'send-text');
      const decision = await unitOfWork.write(caller, (db, inWork) =>
        prepareText(db, inWork, id, { keyring, now: new Date(), ignoreQuietHours }),
      );
      if (decision === 'settled') return 'done';
      const taken = await within(PATIENCE_MS, carrier.sendText({ ...decision.send, statusUrl })).catch(kindOf);
      // What the error says may name a number: only its kind is kept.
      if (taken === 'unreachable') return { again: 'carrier_unreachable' };
      await unitOfWork.write(caller, (db, inWork) =>
        'refused' in taken ? recordTextFailed(db, inWork, id, taken.refused) : recordTextSent(db, inWork, id, taken.id),
      );
      return 'done';
    },
    async giveUp(organizationId, id) {
      await unitOfWork.write(jobCaller(organizationId, 'send-text'), (db, caller) =>
        recordTextFailed(db, caller, id, 'carrier_unreachable'),
      );
    },
  };
}

function kindOf(error: unknown): { refused: string } | 'unreachable' {
  return error instanceof CarrierRefusal ? { refused: error.code } : 'unreachable';
}

/** @throws after that long, whatever then comes of it */
export async function within<T>(ms: number, asked: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal, ref: false }).then((): never => {
    throw new Error('no answer in time');
  });
  late.catch(() => {});
  try {
    return await Promise.race([asked, late]);
  } finally {
    stop.abort();
  }
}
