import type { Keyring } from '../../database/encryption/keyring.ts';
import { jobCaller } from '../../domain/caller.ts';
import { completePushDelivery, type PushDelivery, planPushDelivery, recordPushOutcome } from '../../domain/notifications/push-delivery.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { type Push, PushGone } from '../../gateways/push/push.ts';
import { countMessage } from '../measures/measure-surroundings.ts';
import type { QueueHandler } from '../queue/queue.ts';
import { waitAtMost } from './send-texts.ts';

/** Milliseconds to wait for the response of a push service. */
const PUSH_TIMEOUT_MS = 30_000;
const JOB = 'send-push';

/**
 * Sends a notification to the devices of a user. Push services are called between transactions; their results are stored
 * immediately, so that another attempt is made only for the other devices. After a kill in between a device gets the notification again, with
 * the same topic and tag, and shows it once.
 */
export function sendPushes({ unitOfWork, push, keyring }: { unitOfWork: UnitOfWork; push: Push; keyring: Keyring }): QueueHandler {
  return {
    async run(organizationId, id) {
      const caller = jobCaller(organizationId, JOB);
      const task = await unitOfWork.write(caller, (tx) => planPushDelivery(tx, id, keyring));
      if (task === null) return 'done';
      const results = await Promise.all(task.devices.map((device) => sendTo(push, task, device)));
      const idsWith = (outcome: 'accepted' | 'gone') => results.flatMap((one) => (one.outcome === outcome ? [one.id] : []));
      const isDone = results.every(({ outcome }) => outcome !== 'unreachable');
      await unitOfWork.write(caller, async (tx) => {
        await recordPushOutcome(tx, id, { accepted: idsWith('accepted'), gone: idsWith('gone') });
        if (isDone) await completePushDelivery(tx, id);
      });
      const counted = { accepted: 'sent', gone: 'refused', unreachable: 'retried' } as const;
      for (const { outcome } of results) countMessage('push', counted[outcome]);
      return isDone ? 'done' : { again: 'push_service_unreachable' };
    },
    async giveUp(organizationId, id) {
      await unitOfWork.write(jobCaller(organizationId, JOB), (tx) => completePushDelivery(tx, id));
      countMessage('push', 'given_up');
    },
  };
}

async function sendTo(push: Push, { topic, payload }: PushDelivery, { id, to }: PushDelivery['devices'][number]) {
  try {
    await waitAtMost(PUSH_TIMEOUT_MS, push.send({ to, topic, payload }));
    return { id, outcome: 'accepted' } as const;
  } catch (error) {
    // Other errors may name the address of a device: only their kind is stored.
    return { id, outcome: error instanceof PushGone ? 'gone' : 'unreachable' } as const;
  }
}
