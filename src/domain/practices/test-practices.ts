import { type Prepared, statement } from '../../database/statements/statement.ts';
import type { Senders } from '../../gateways/gateways.ts';
import type { Tx } from '../tx.ts';
import { type Faults, setClock, setFaults } from '../values/test-practices.ts';

interface TestPracticeRow {
  organizationId: number;
  aheadMs: number;
  faults: Partial<Faults>;
}

const EACH = statement<TestPracticeRow>(
  'test_practices',
  'SELECT organization_id AS "organizationId", ahead_ms AS "aheadMs", faults FROM test_practice ORDER BY organization_id',
  { overAllPractices: 'the sandbox shows all practices for trying things out' },
);

/** Value: organization. */
const ONE = statement<{ organizationId: number }>(
  'test_practice',
  'SELECT organization_id AS "organizationId" FROM test_practice WHERE organization_id = $1',
);

/** Values: organization, milliseconds. */
const ADVANCE = statement<never>(
  'advance_test_clock',
  'UPDATE test_practice SET ahead_ms = ahead_ms + $2::bigint WHERE organization_id = $1',
);

/** Value: organization. */
const RESET = statement<never>('reset_test_clock', 'UPDATE test_practice SET ahead_ms = 0 WHERE organization_id = $1');

/** Values: organization, faults as JSON. */
const FAIL = statement<never>('set_test_faults', 'UPDATE test_practice SET faults = $2::jsonb WHERE organization_id = $1');

/** The practices for trying things out, by id. Clocks and faults that any process has set hold in this one from now on. */
export async function followTestPractices({ rows }: Prepared): Promise<number[]> {
  const practices = await rows(EACH, []);
  for (const { organizationId, aheadMs, faults } of practices) {
    setClock(organizationId, aheadMs);
    setFaults(organizationId, faults);
  }
  return practices.map(({ organizationId }) => organizationId);
}

/** Finds the ways in which texts and mails of a practice leave: those of one for trying things out stay in the database. Which it is never changes. */
export function createSenders({ rows }: Prepared, gateways: Senders & { local: Senders }): (organizationId: number) => Promise<Senders> {
  const known = new Map<number, Senders>();
  return async (organizationId) => {
    const found = known.get(organizationId) ?? ((await rows(ONE, [organizationId])).length > 0 ? gateways.local : gateways);
    known.set(organizationId, found);
    return found;
  };
}

/** Stores how much further the clock of a practice is from now on. @param seconds null sets it back to the time */
export async function moveTestClock(tx: Tx, seconds: number | null): Promise<void> {
  await (seconds === null ? tx.rows(RESET) : tx.rows(ADVANCE, [seconds * 1_000]));
}

export async function setTestFaults(tx: Tx, faults: Faults): Promise<void> {
  await tx.rows(FAIL, [JSON.stringify(faults)]);
}
