import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { jobCaller } from '../../domain/caller.ts';
import { prepareText, recordTextFailed, recordTextSent } from '../../domain/messaging/sending/outgoing-texts.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { findFaults, nowIn } from '../../domain/values/test-practices.ts';
import { type Carrier, CarrierRefusal } from '../../gateways/carrier/carrier.ts';
import { countMessage } from '../measures/measure-surroundings.ts';
import type { QueueHandler } from '../queue/queue.ts';

/** Milliseconds to wait for the carrier's response. After that the attempt counts as failed, and the next one has the same reference. */
const CARRIER_TIMEOUT_MS = 30_000;

interface SendingDeps {
  unitOfWork: UnitOfWork;
  carrier: Carrier;
  keyring: Keyring;
  /** Address to which the carrier reports the delivery of a text; null where it has none. */
  statusUrl: string | null;
  /** Sends at any hour (prepareText); for the sandbox. */
  ignoreQuietHours?: boolean;
}

/**
 * Sends texts: one transaction decides and records the attempt, the carrier is called between transactions, and another one
 * records its response. After a kill in between the next attempt has the same reference, by which the carrier recognizes it.
 */
export function sendTexts({ unitOfWork, carrier, keyring, statusUrl, ignoreQuietHours = false }: SendingDeps): QueueHandler {
  return {
    async run(organizationId, id) {
      const caller = jobCaller(organizationId, 'send-text');
      const prepared = await unitOfWork.write(caller, (tx) =>
        prepareText(tx, id, { keyring, now: nowIn(organizationId), ignoreQuietHours }),
      );
      if (prepared === 'settled') return 'done';
      const response =
        findSandboxFault(organizationId) ??
        (await waitAtMost(CARRIER_TIMEOUT_MS, carrier.sendText({ ...prepared.send, statusUrl })).catch(toFailureKind));
      // The message of the error may name a number: only its kind is stored.
      if (response === 'unreachable') {
        countMessage('text', 'retried');
        return { again: 'carrier_unreachable' };
      }
      await unitOfWork.write(caller, (tx) =>
        'refused' in response ? recordTextFailed(tx, id, response.refused) : recordTextSent(tx, id, response.id),
      );
      countMessage('text', 'refused' in response ? 'refused' : 'sent');
      return 'done';
    },
    async giveUp(organizationId, id) {
      await unitOfWork.write(jobCaller(organizationId, 'send-text'), (tx) => recordTextFailed(tx, id, 'carrier_unreachable'));
      countMessage('text', 'given_up');
    },
  };
}

/** The answer of the carrier of a test practice, where it fails. */
function findSandboxFault(organizationId: number): { refused: string } | 'unreachable' | null {
  const { carrier } = findFaults(organizationId);
  return carrier === 'refuse' ? { refused: 'carrier_refused' } : carrier;
}

function toFailureKind(error: unknown): { refused: string } | 'unreachable' {
  return error instanceof CarrierRefusal ? { refused: error.code } : 'unreachable';
}

/** The result of a promise. @throws Error where it takes longer than `ms` milliseconds */
export async function waitAtMost<T>(ms: number, promise: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal, ref: false }).then((): never => {
    throw new Error('no response in time');
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}
