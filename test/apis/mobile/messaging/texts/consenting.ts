import { signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../../support/phone-numbers.ts';

export interface Chart {
  id: number;
  number: string;
}

/** Staff of a practice that has a number to send from, with its charts, its visits and what numbers say about texts. */
export async function textingPractice(test: TestApp) {
  const rows = () => test.database.prisma;
  const person = await signedInUser(test);
  const { organizationId } = person;
  const plain = { number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' } as const;
  await addPhoneNumber(rows(), { organizationId, ...plain });

  const chart = async (data: object = {}): Promise<Chart> => {
    const number = anyNumber();
    const { id } = await createPatient(rows(), {
      organizationId,
      firstName: 'Rosa',
      mobilePhone: number,
      email: 'rosa@example.com',
      ...data,
    });
    return { id, number };
  };
  const ledger = (number: string, keyword: string) =>
    rows().optOut.create({ data: { organizationId, number, optedOut: keyword === 'STOP', keyword, source: 'text' } });
  /** A visit tomorrow. */
  const book = async (patientId: number): Promise<number> => {
    const startsAt = new Date(Date.now() + 86_400_000);
    const times = { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
    const data = { organizationId, timeZone: 'UTC', durationMinutes: 30, patientId, ...times };
    return (await rows().appointment.create({ data })).id;
  };
  return { person, organizationId, chart, ledger, book };
}
