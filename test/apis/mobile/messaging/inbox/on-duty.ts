import { randomUUID } from 'node:crypto';
import { addTime } from '../../../../../src/database/statements/later.sql.ts';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { applyCarrierEvent } from '../../../../../src/domain/messaging/inbound/carrier-events.ts';
import { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { escalateInbox } from '../../../../../src/jobs/due-work.ts';
import { type Actor, signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../../support/phone-numbers.ts';

/** A practice with a call group of three, in ring order, whose number takes texts, and whose pager takes messages. */
export async function onDuty(test: TestApp) {
  const { prisma } = test.database;
  const { id: organizationId } = await createOrganization(prisma, { name: 'Hudson Family Practice', inboxEscalationMinutes: 10 });
  const { id: chatId } = await prisma.chat.create({ data: { organizationId, name: 'Front Desk' } });
  const [plain, pager, bare] = [anyNumber('1984'), anyNumber('1984'), anyNumber('1984')];
  await addPhoneNumber(prisma, { organizationId, number: plain, kind: 'plain', chatId, carrier: 'local', carrierId: 'PN-1' });
  await addPhoneNumber(prisma, { organizationId, number: pager, kind: 'voice_pager', chatId, carrier: 'local', carrierId: 'PN-2' });
  await addPhoneNumber(prisma, { organizationId, number: bare, kind: 'plain', carrier: 'local', carrierId: 'PN-3' });
  const member = async (ringOrder: number) => {
    const actor = await signedInUser(test, { organizationId, user: { phone: anyNumber('1336') } });
    await prisma.chatMember.create({ data: { organizationId, chatId, userId: actor.user.id, ringOrder } });
    return actor;
  };
  const [first, second, third] = [await member(1), await member(2), await member(3)];
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  const phone = anyNumber();
  const patient = await createPatient(prisma, { organizationId, firstName: 'Rosa', lastName: 'Diaz', mobilePhone: phone });

  const deps = { db: prisma, unitOfWork: test.services.unitOfWork, callerFor: (of: number) => jobCaller(of, 'test') };
  const kinds = async (actor: Actor) =>
    (await actor.get('/notifications')).body.data.map(({ kind }: { kind: string }) => kind).toReversed();
  return {
    organizationId,
    chatId,
    first,
    second,
    third,
    admin,
    patient,
    phone,
    plain,
    pager,
    bare,
    /** Somebody texts the practice. */
    text: (body: string, { from = phone, to = plain } = {}) =>
      applyCarrierEvent(deps, { kind: 'text', id: `SM-${randomUUID()}`, from, to, body, at: new Date() }),
    /** Somebody leaves a message on the pager. */
    page: (transcript: string | null, { from = phone, id = `VM-${randomUUID()}` } = {}) =>
      applyCarrierEvent(deps, {
        kind: 'voice_message',
        id,
        from,
        to: pager,
        transcript,
        durationSeconds: 5,
        recordingUrl: null,
        at: new Date(),
      }),
    /** The items that the first member finds. */
    inbox: async (query = '', actor: Actor = first) => (await actor.get(`/inbox${query}`)).body.data,
    /** How often each person was notified: the three members and the admin. */
    notified: () =>
      Promise.all(
        [first, second, third, admin].map(({ user }) => prisma.notification.count({ where: { organizationId, userId: user.id } })),
      ),
    kinds,
    /** The period of the practice passes, and the job of the worker runs. */
    async periodPasses() {
      await prisma.$executeRaw`
        UPDATE inbox_item SET escalate_at = ${addTime(Prisma.sql`escalate_at`, Prisma.sql`mins => -10`)} WHERE organization_id = ${organizationId}`;
      await escalateInbox(test.services);
    },
    /** Texts to the people on duty. */
    alerts: () => prisma.smsMessage.findMany({ where: { organizationId, direction: 'outbound' }, orderBy: { id: 'asc' } }),
  };
}

export type OnDuty = Awaited<ReturnType<typeof onDuty>>;
