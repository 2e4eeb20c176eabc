import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { countMasterKeyUses } from '../../src/database/encryption/key-uses.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { operator } from '../../src/domain/caller.ts';
import { nextId, nextIds } from '../../src/domain/messaging/queue/next-ids.ts';
import { fillSealedPlaceholders, sealPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { openSubscription, subscribeDevice } from '../../src/domain/notifications/push-subscriptions.ts';
import { createUnitOfWork, type UnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { findOrCreatePushKeys } from '../../src/gateways/push/web-push.ts';
import { renewEncryptedValues } from '../../src/jobs/upkeep/renew-encrypted-values.ts';
import { createTestDatabase } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';

const [A, B] = [
  { id: 'a', key: Buffer.alloc(32, 1) },
  { id: 'b', key: Buffer.alloc(32, 2) },
];
const [old, both, fresh] = [createKeyring([A]), createKeyring([B, A]), createKeyring([B])];

let database: Database;
let unitOfWork: UnitOfWork;
let organizationId: number;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 4 });
  unitOfWork = createUnitOfWork(database);
  organizationId = (await createOrganization(database.prisma)).id;
});
afterAll(() => database.close());

const renew = () =>
  renewEncryptedValues({
    db: database.prisma,
    keyring: both,
    organizationIds: [organizationId],
    write: (id, job) => unitOfWork.write(operator(id, 'test renew'), job),
    writeEach: (_, job) => unitOfWork.write(operator(organizationId, 'test renew'), (tx) => job(tx.prisma, [tx])),
    batch: 2,
    report: () => {},
  });

it('links and codes that wait to leave open under the new key alone, and messages that left have none', async () => {
  const url = 'https://clinic.example/c/1.abc';
  const common = { organizationId, body: 'Open {{url}}', state: 'queued' } as const;
  const text = { ...common, direction: 'outbound', toNumber: '+19105550123' } as const;
  const seal = sealPlaceholders(old, { url });
  const ids = await nextIds(database.prisma, 'sms_message', 3);
  await database.prisma.smsMessage.createMany({ data: ids.map((id) => ({ ...text, id, sealed: seal('text', { organizationId, id }) })) });
  await database.prisma.smsMessage.create({ data: { ...text, state: 'sent' } });
  const mail = { ...common, toAddress: 'maya@example.com', subject: 'Hello' };
  const id = await nextId(database.prisma, 'mail_message');
  await database.prisma.mailMessage.create({ data: { ...mail, id, sealed: seal('mail', { organizationId, id }) } });
  const before = await database.prisma.smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const results = await renew();
  expect(results.get('sms_message.sealed')).toEqual({ renewed: 3, changed: 0, unreadable: 0 });
  expect(results.get('mail_message.sealed')).toEqual({ renewed: 1, changed: 0, unreadable: 0 });
  const texts = await database.prisma.smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  expect(texts.map((one) => fillSealedPlaceholders(fresh, 'text', one))).toEqual([...[1, 2, 3].map(() => `Open ${url}`), 'Open {{url}}']);
  expect(texts.map(({ updatedAt }) => updatedAt)).toEqual(before.map(({ updatedAt }) => updatedAt));
  for (const one of await database.prisma.mailMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }))
    expect(fillSealedPlaceholders(fresh, 'mail', one)).toBe(`Open ${url}`);
});

it('devices that are told open under the new key alone, and so does the key that push services know', async () => {
  const { user } = await createUser(database.prisma, { organizationId });
  const end = new Date(Date.now() + 60_000);
  const { id: sessionId } = await database.prisma.session.create({
    data: { organizationId, id: randomUUID(), userId: user.id, expiresAt: end, endsAt: end },
  });
  const device = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
  const caller = { ...operator(organizationId, 'test'), userId: user.id, sessionId };
  await unitOfWork.write(caller, (tx) => subscribeDevice(tx, old, device));
  const pair = await findOrCreatePushKeys(database.prisma, old);
  const renewals = [await renew(), await renew()];
  expect(renewals[0]?.get('push_subscription.subscription')).toEqual({ renewed: 1, changed: 0, unreadable: 0 });
  expect(renewals.map((one) => one.get('push_key.private_key'))).toMatchObject([{ renewed: 1 }, { renewed: 0, unreadable: 0 }]);
  const kept = await database.prisma.pushSubscription.findFirstOrThrow({ where: { organizationId } });
  expect(openSubscription(fresh, { organizationId, row: kept.id }, kept.subscription)).toEqual(device);
  expect(await findOrCreatePushKeys(database.prisma, fresh)).toEqual(pair);
  expect((await countMasterKeyUses(database.prisma)).filter(({ table }) => table !== 'audit_link').map(({ keyId }) => keyId)).not.toContain(
    'a',
  );
});
