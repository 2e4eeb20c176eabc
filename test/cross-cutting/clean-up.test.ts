import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { removeExpired } from '../../src/jobs/upkeep/clean-up.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';

const test = await ownTestApp();

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

describe('cleaning up', () => {
  it('takes away stored responses that have expired, however many, and no other', async () => {
    const clinic = await integrationClient(test);
    const { organizationId } = clinic;
    await clinic.post('/appointments').set('idempotency-key', 'kept').send({});
    await test.database.pool.query(
      `INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
       SELECT $1, 'test', n::text, '', 200, '{}', '', '[]', now() - interval '1 second' FROM generate_series(1, 11000) AS n`,
      [organizationId],
    );
    await removeExpired(test.database);
    expect(await test.database.prisma.idempotencyRecord.findMany({ where: { organizationId }, select: { key: true } })).toEqual([
      { key: 'kept' },
    ]);
  });

  it('takes away revoked tokens and counters of failed sign-ins and of requests that have run out, and no other', async () => {
    const { prisma } = test.database;
    const [old, fresh] = [randomUUID(), randomUUID()];
    await prisma.revokedToken.createMany({ data: [old, fresh].map((id) => ({ id, expiresAt: inHours(id === old ? -1 : 1) })) });
    await prisma.signInFailure.createMany({
      data: [old, fresh].map((key) => ({ key, points: 1, expire: inHours(key === old ? -1 : 1).getTime() })),
    });
    await prisma.requestCount.createMany({
      data: [old, fresh].map((key) => ({ key, taken: 1, endsAt: inHours(key === old ? -1 : 0) })),
    });
    await removeExpired(test.database);
    expect(await prisma.revokedToken.findMany({ where: { id: { in: [old, fresh] } }, select: { id: true } })).toEqual([{ id: fresh }]);
    expect(await prisma.signInFailure.findMany({ where: { key: { in: [old, fresh] } }, select: { key: true } })).toEqual([{ key: fresh }]);
    expect(await prisma.requestCount.findMany({ where: { key: { in: [old, fresh] } }, select: { key: true } })).toEqual([{ key: fresh }]);
  });

  it('takes away used assertions and codes and ended secrets of clients, and no other', async () => {
    const { prisma } = test.database;
    const { organizationId, user } = await signedInUser(test);
    const { id: pageSessionId } = await prisma.session.findFirstOrThrow({ where: { organizationId, userId: user.id } });
    const { clientId } = await createClient(prisma, { name: 'Lab', organizationIds: [organizationId], scopes: ['practice.read'] });
    const hours = [
      ['assertion', [-1, 1]],
      ['code', [-25, -23]],
      ['secret', [-91 * 24, -89 * 24]],
    ] as const;
    for (const [what, ends] of hours)
      for (const expiresAt of ends.map(inHours)) {
        if (what === 'assertion') await prisma.clientAssertion.create({ data: { clientId, jtiHash: randomBytes(32), expiresAt } });
        if (what === 'secret') await prisma.apiClientSecret.create({ data: { clientId, hash: 'x', expiresAt } });
        const code = { organizationId, clientId, pageSessionId, redirectUri: 'https://a.example/', challenge: 'x', expiresAt };
        if (what === 'code') await prisma.authorizationCode.create({ data: { ...code, hash: randomBytes(32) } });
      }
    await removeExpired(test.database);
    expect(await prisma.clientAssertion.count({ where: { clientId } })).toBe(1);
    expect(await prisma.authorizationCode.count({ where: { clientId } })).toBe(1);
    expect(await prisma.apiClientSecret.count({ where: { clientId } })).toBe(2);
  });

  it('takes away sessions a day after their end, with their refresh tokens', async () => {
    const { prisma } = test.database;
    const users = [await signedInUser(test), await signedInUser(test), await signedInUser(test)];
    const ends = [-25, -23, 1];
    for (const [index, { organizationId }] of users.entries()) {
      await prisma.session.updateMany({ where: { organizationId }, data: { expiresAt: inHours(ends[index] ?? 0) } });
    }
    await Promise.all([removeExpired(test.database), removeExpired(test.database)]);
    const left = await Promise.all(
      users.map(async ({ organizationId }) => [
        await prisma.session.count({ where: { organizationId } }),
        await prisma.refreshToken.count({ where: { organizationId } }),
      ]),
    );
    expect(left).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
  });

  it('takes away attempts at a carrier after a month, and no other', async () => {
    const { prisma } = test.database;
    const [old, fresh] = [randomUUID(), randomUUID()];
    const begun = (reference: string) => inHours(reference === old ? -31 * 24 : -29 * 24);
    await prisma.carrierAttempt.createMany({ data: [old, fresh].map((reference) => ({ reference, begunAt: begun(reference) })) });
    await removeExpired(test.database);
    expect(await prisma.carrierAttempt.findMany({ select: { reference: true } })).toEqual([{ reference: fresh }]);
  });

  it('takes away what the simulated carrier and mailer took after a month, and no other', async () => {
    const { prisma } = test.database;
    const days = { old: 31, fresh: 29 };
    for (const [reference, age] of Object.entries(days)) {
      const at = inHours(-age * 24);
      const numbers = { fromNumber: '+19105550101', toNumber: '+19105550102' };
      await prisma.carrierText.create({ data: { id: reference, reference, ...numbers, body: 'sealed', receivedAt: at } });
      await prisma.localMail.create({
        data: { reference, fromName: 'Clinic', toAddress: 'a@example.com', subject: 'Hello', body: 'sealed', sentAt: at },
      });
    }
    await removeExpired(test.database);
    expect(await prisma.carrierText.findMany({ select: { reference: true } })).toEqual([{ reference: 'fresh' }]);
    expect(await prisma.localMail.findMany({ select: { reference: true } })).toEqual([{ reference: 'fresh' }]);
  });

  it('takes away notifications after 90 days, with what is noted of their pushes, and no other', async () => {
    const { prisma } = test.database;
    const { organizationId, user } = await signedInUser(test);
    const { id: sessionId } = await prisma.session.findFirstOrThrow({ where: { organizationId, userId: user.id } });
    const device = { organizationId, userId: user.id, sessionId, endpointHash: new Uint8Array(32), subscription: 'sealed' };
    const { id: subscriptionId } = await prisma.pushSubscription.create({ data: device });
    for (const days of [91, 89]) {
      const told = { organizationId, userId: user.id, kind: 'checkin_review.created', subjectType: 'checkin_review', subjectId: days };
      const { id: notificationId } = await prisma.notification.create({ data: { ...told, createdAt: inHours(-days * 24) } });
      await prisma.pushDelivery.create({ data: { organizationId, notificationId, subscriptionId } });
    }
    await removeExpired(test.database);
    const left = await prisma.notification.findMany({ where: { organizationId }, select: { subjectId: true, deliveries: true } });
    expect(left).toEqual([{ subjectId: 89, deliveries: [expect.objectContaining({ subscriptionId })] }]);
    expect(await prisma.pushDelivery.count({ where: { organizationId } })).toBe(1);
  });
});
