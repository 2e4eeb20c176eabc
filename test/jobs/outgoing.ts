import { jobCaller } from '../../src/domain/caller.ts';
import { type NewText, queueText } from '../../src/domain/messaging/queue/queued-texts.ts';
import type { NewMail } from '../../src/domain/messaging/sending/outgoing-mails.ts';
import { queueMail } from '../../src/domain/messaging/sending/outgoing-mails.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { createOutbox } from '../../src/jobs/queue/queue.ts';
import { REACTIONS } from '../../src/services.ts';
import type { Served, TestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';

/** No quiet hours, for tests that are not about them. */
export const AWAKE = { quietHoursStart: '00:00', quietHoursEnd: '00:00' };

/** A practice that owns a number. */
export async function practiceWithNumber({ database }: TestApp, data: object = {}): Promise<number> {
  const { id } = await createOrganization(database.prisma, { ...AWAKE, ...data });
  await database.prisma.phoneNumber.create({
    data: { organizationId: id, number: anyNumber('1984'), kind: 'plain', carrier: 'local', carrierId: 'PN-1' },
  });
  return id;
}

/** Queues texts and mails as requests do, each in one transaction. */
export function openQueueing({ database }: Pick<Served, 'database'>) {
  const logger = createLogger({ LOG_LEVEL: 'silent' });
  const outbox = createOutbox(database, logger);
  const unitOfWork = createUnitOfWork(database, outbox.enqueue, REACTIONS);
  return {
    outbox,
    unitOfWork,
    logger,
    text: (organizationId: number, text: NewText) => unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => queueText(tx, text)),
    mail: (organizationId: number, mail: NewMail) => unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => queueMail(tx, mail)),
  };
}
