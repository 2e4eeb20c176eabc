import type { Prisma } from '../../../../src/generated/prisma/client.ts';
import { reconcileNumberOrders } from '../../../../src/jobs/calls/reconcile-number-orders.ts';
import { signedInUser } from '../../../support/actors.ts';
import type { TestApp } from '../../../support/app.ts';
import { addPhoneNumber } from '../../../support/phone-numbers.ts';

/** Runs the job that the worker runs every two seconds. */
export const reconcileOrders = (test: TestApp) => reconcileNumberOrders({ ...test.services, carrier: test.services.gateways.carrier });

const AREA_CODES = ['919', '252', '336', '910', '980', '984', '828', '743'];
const LINES_OF_AREA = 100;
let given = 0;
/**
 * A fictional number, E.164, that no other row of this file has. Each area code has a hundred of them (local-number-inventory),
 * and the files of one worker share this module: once they are given out, the next area's are.
 */
export function freshNumber(areaCode?: string): string {
  given += 1;
  const area = areaCode ?? AREA_CODES[Math.floor(given / LINES_OF_AREA) % AREA_CODES.length];
  return `+1${area}55501${String(given % LINES_OF_AREA).padStart(2, '0')}`;
}

/** A number that the practice has owned for a while. */
export function createNumber(
  { database: { prisma } }: TestApp,
  organizationId: number,
  data: Partial<Prisma.PhoneNumberUncheckedCreateInput> = {},
) {
  const number = data.number ?? freshNumber();
  return addPhoneNumber(prisma, { organizationId, kind: 'plain', carrier: 'local', carrierId: `PN-${number}`, ...data, number });
}

/** Moves the end of a released number's last day into the past. */
export async function letDayPass({ database: { prisma } }: TestApp, id: number): Promise<void> {
  await prisma.phoneNumber.updateMany({ where: { id, releasesAt: { not: null } }, data: { releasesAt: new Date(Date.now() - 1000) } });
}

export function createChat({ database: { prisma } }: TestApp, organizationId: number, name = 'On Call') {
  return prisma.chat.create({ data: { organizationId, name } });
}

/** A user whose practice has a number that rings a call group. */
export async function createUserWithNumber(test: TestApp) {
  const who = await signedInUser(test);
  const chat = await createChat(test, who.organizationId);
  return { who, chat, line: await createNumber(test, who.organizationId, { chatId: chat.id }) };
}
