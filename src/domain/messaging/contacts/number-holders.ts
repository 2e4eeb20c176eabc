import { statement } from '../../../database/statements/statement.ts';
import { maySeeRestricted } from '../../caller.ts';
import { whereVisibleChart } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { Tx } from '../../tx.ts';

export interface NumberHolder {
  number: string;
  id: number;
  /** The same of all charts of one person. */
  person: number;
  firstName: string | null;
  lastName: string | null;
}

/** The patients who have numbers, first whom a call would be filed with. Values: organization, numbers, whether restricted charts may be seen. */
const HOLDERS_OF_NUMBERS = statement<NumberHolder>(
  'holders_of_numbers',
  `SELECT s.number, p.id, coalesce(p.enterprise_id, p.id) AS person, p.first_name AS "firstName", p.last_name AS "lastName"
     FROM unnest($2::text[]) AS s (number)
     JOIN patient p ON p.organization_id = $1 AND (p.mobile_phone = s.number OR p.home_phone = s.number) AND ${whereVisibleChart('p', '$3')}
    ORDER BY s.number, coalesce(p.mobile_phone = s.number, false) DESC, (p.enterprise_id IS NULL) DESC, (p.status = 'active') DESC, p.id`,
);

/** The patients whom the caller may see, and who have one of the numbers: each person once for each number. */
export async function findHolders(tx: Tx, numbers: readonly string[]): Promise<NumberHolder[]> {
  if (numbers.length === 0) return [];
  const values = [[...new Set(numbers)], maySeeRestricted(tx)];
  const rows = await tx.rows(HOLDERS_OF_NUMBERS, values);
  return rows.filter((row, at) => rows.findIndex(({ number, person }) => number === row.number && person === row.person) === at);
}

/** Those who have a number, without the person with whom something from it is filed. */
export function othersThan(holders: readonly NumberHolder[], number: string | null, patientId: number | null): NumberHolder[] {
  const own = holders.find(({ id }) => id === patientId)?.person;
  return holders.filter((holder) => holder.number === number && holder.id !== patientId && holder.person !== own);
}
