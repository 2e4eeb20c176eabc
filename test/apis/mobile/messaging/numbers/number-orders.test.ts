import { describe, expect, it } from 'vitest';
import { purchaseReference } from '../../../../../src/domain/messaging/numbers/number-orders.ts';
import { type Carrier, CarrierRefusal } from '../../../../../src/gateways/carrier/carrier.ts';
import { createCarrier } from '../../../../../src/gateways/carrier/create-carrier.ts';
import { reconcileNumberOrders } from '../../../../../src/jobs/calls/reconcile-number-orders.ts';
import { ownTestApp } from '../../../../support/app.ts';
import { createOrganization } from '../../../../support/factories.ts';
import { createNumber, freshNumber } from '../numbers.ts';

const test = await ownTestApp();
const carrier: Carrier = await createCarrier(test.config, test.database, test.keyring);

const ordered = async (number = freshNumber()) => {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  return createNumber(test, organizationId, { number, state: 'ordered', carrierId: null });
};
const findRow = (id: number) => test.database.prisma.phoneNumber.findFirstOrThrow({ where: { id } });
const listEvents = async (subjectId: number) =>
  (await test.database.prisma.event.findMany({ where: { subjectId, subjectType: 'phone_number' }, orderBy: { id: 'asc' } })).map(
    ({ name }) => name,
  );
const down = async (): Promise<never> => {
  throw new Error('no answer');
};

describe('the job that settles numbers', () => {
  it('finishes a purchase whose answer was not stored, without a second one', async () => {
    const row = await ordered();
    const { id } = await carrier.purchaseNumber({ number: row.number, reference: purchaseReference(row) });
    await reconcileNumberOrders({ ...test.services, carrier });
    expect(await findRow(row.id)).toMatchObject({ state: 'active', carrierId: id });
    expect(await test.database.prisma.carrierNumber.count({ where: { number: row.number } })).toBe(1);
  });

  it('notes a purchase once, however many processes hear of it', async () => {
    const row = await ordered();
    await Promise.all(Array.from({ length: 5 }, () => reconcileNumberOrders({ ...test.services, carrier })));
    expect(await listEvents(row.id)).toEqual(['number.purchased']);
  });

  it('leaves an order for later while the carrier does not answer, and asks for the others all the same', async () => {
    const [stuck, other] = [await ordered(), await ordered()];
    const half: Carrier = {
      ...carrier,
      purchaseNumber: (order) => (order.number === stuck.number ? down() : carrier.purchaseNumber(order)),
    };
    await expect(reconcileNumberOrders({ ...test.services, carrier: half })).rejects.toThrow('no answer');
    expect(await findRow(stuck.id)).toMatchObject({ state: 'ordered', attempts: 1, releasedAt: null });
    expect(await findRow(other.id)).toMatchObject({ state: 'active' });
    await reconcileNumberOrders({ ...test.services, carrier });
    expect(await findRow(stuck.id)).toMatchObject({ state: 'active' });
  });

  it('frees a number that the carrier will never sell, and keeps why', async () => {
    const row = await ordered();
    const refusing: Carrier = {
      ...carrier,
      purchaseNumber: async () => {
        throw new CarrierRefusal('number_taken', 'no');
      },
    };
    await reconcileNumberOrders({ ...test.services, carrier: refusing });
    expect(await findRow(row.id)).toMatchObject({ state: 'failed', failure: 'number_taken', releasedAt: expect.any(Date) });
    expect(await listEvents(row.id)).toEqual(['number.refused']);
  });

  it('gives a number back before it buys it anew', async () => {
    const number = freshNumber();
    const { id: organizationId } = await createOrganization(test.database.prisma);
    const before = await carrier.purchaseNumber({ number, reference: `before-${number}` });
    const left = await createNumber(test, organizationId, { number, state: 'releasing', carrierId: before.id, releasedAt: new Date() });
    const row = await ordered(number);
    const stuck: Carrier = { ...carrier, releaseNumber: down };
    await expect(reconcileNumberOrders({ ...test.services, carrier: stuck })).rejects.toThrow('no answer');
    expect([await findRow(left.id), await findRow(row.id)]).toMatchObject([{ state: 'releasing' }, { state: 'ordered', attempts: 0 }]);
    await reconcileNumberOrders({ ...test.services, carrier });
    await reconcileNumberOrders({ ...test.services, carrier });
    expect([await findRow(left.id), await findRow(row.id)]).toMatchObject([{ state: 'released' }, { state: 'active' }]);
  });

  it('leaves alone what another carrier holds', async () => {
    const row = await ordered();
    await reconcileNumberOrders({ ...test.services, carrier: { ...carrier, name: 'twilio' } });
    expect(await findRow(row.id)).toMatchObject({ state: 'ordered' });
  });
});
