import type { Keyring } from '../database/keyring.ts';
import { jobCaller } from '../domain/caller.ts';
import { completePushDelivery, type PushDelivery, planPushDelivery, recordPushOutcome } from '../domain/monitoring/push-delivery.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { type Push, PushGone } from '../gateways/push.ts';
import type { QueueHandler } from './queue.ts';
import { within } from './send-texts.ts';

const PATIENCE_MS = 30_000;
const JOB = 'send-push';

/**
 * Tells the devices of a user of a notification. Push services are asked between transactions; which of them took it is
 * noted at once, so that another attempt is made only for the others. Killed in between, a device is told once more under
 * the same topic and tag, and shows it once.
 */
export function sendPushes({ unitOfWork, push, keyring }: { unitOfWork: UnitOfWork; push: Push; keyring: Keyring }): QueueHandler {
  return {
    async run(organizationId, id) {
      const caller = jobCaller(organizationId, JOB);
      const task = await unitOfWork.write(caller, (db, inWork) => planPushDelivery(db, inWork, id, keyring));
      if (task === null) return 'done';
      const heard = await Promise.all(task.devices.map((device) => tell(push, task, device)));
      const those = (outcome: 'taken' | 'gone') => heard.flatMap((one) => (one.outcome === outcome ? [one.id] : []));
      const isDone = heard.every(({ outcome }) => outcome !== 'unreachable');
      await unitOfWork.write(caller, async (db, inWork) => {
        await recordPushOutcome(db, inWork, id, { accepted: those('taken'), gone: those('gone') });
        if (isDone) await completePushDelivery(db, inWork, id);
      });
      return isDone ? 'done' : { again: 'push_service_unreachable' };
    },
    async giveUp(organizationId, id) {
      await unitOfWork.write(jobCaller(organizationId, JOB), (db, caller) => completePushDelivery(db, caller, id));
    },
  };
}

async function tell(push: Push, { topic, payload }: PushDelivery, { id, to }: PushDelivery['devices'][number]) {
  try {
    await within(PATIENCE_MS, push.send({ to, topic, payload }));
    return { id, outcome: 'taken' } as const;
  } catch (error) {
    // What else went wrong may name the address of a device: only its kind is kept.
    return { id, outcome: error instanceof PushGone ? 'gone' : 'unreachable' } as const;
  }
}
