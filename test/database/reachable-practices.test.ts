import { afterEach, expect, it, vi } from 'vitest';
import {
  among,
  type OnlyPractices,
  ofThem,
  overReachablePractices,
  rowsOfReachablePractices,
  statementOverReachablePractices,
} from '../../src/database/reachable-practices.ts';
import type { Prepared } from '../../src/database/statement.ts';

afterEach(() => void vi.useRealTimers());

const nodeDown = () => Object.assign(new Error('connection to the remote node failed'), { code: '08006', severity: 'ERROR' });

/** A cluster of two nodes, of which one may be down: practices 1 and 3 are on the first, 2 on the second. */
function cluster() {
  const state = { isDown: true, sent: [] as string[] };
  const rows = async ({ name }: { name: string }, values: readonly unknown[]): Promise<object[]> => {
    state.sent.push(name);
    if (name === 'practice_ids') return [1, 2, 3].map((id) => ({ id }));
    if (name === 'practices_of_nodes') return [{ practices: [1, 3] }, { practices: [2] }];
    const asked = values.at(-1);
    const reachesSecond = name === 'practice_on_reachable_node' ? asked === 2 : !Array.isArray(asked) || asked.includes(2);
    if (state.isDown && reachesSecond) throw nodeDown();
    return [{ asked }];
  };
  return { state, source: { rows } as unknown as Prepared };
}

const DUE = statementOverReachablePractices<{ asked: unknown }>(
  'due',
  1,
  (amongThem) => `SELECT 1 FROM patient p WHERE p.id > $1 ${amongThem('p')}`,
  'the test looks for what is due',
);

it('a statement over all practices names those on nodes that answer, while one does not, and names none again later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { state, source } = cluster();
  expect(await rowsOfReachablePractices(source, DUE, [7])).toEqual([{ asked: [1, 3] }]);
  expect(state.sent).toEqual([
    'due',
    'practice_ids',
    'practices_of_nodes',
    'practice_on_reachable_node',
    'practice_on_reachable_node',
    'due_among',
  ]);
  state.sent = [];
  await rowsOfReachablePractices(source, DUE, [7]);
  expect(state.sent).toEqual(['due_among']);
  state.isDown = false;
  vi.advanceTimersByTime(11_000);
  state.sent = [];
  expect(await rowsOfReachablePractices(source, DUE, [7])).toEqual([{ asked: 7 }]);
  expect(state.sent).toEqual(['due']);
});

it('any other failure, and one of the practices that answer, is a failure', async () => {
  const { source } = cluster();
  await expect(overReachablePractices(source, () => Promise.reject(new Error('no such table')))).rejects.toThrow('no such table');
  const failing = (only: OnlyPractices) => Promise.reject(only === null ? nodeDown() : new Error('another node'));
  await expect(overReachablePractices(source, failing)).rejects.toThrow('another node');
  const lost = Object.assign(new Error('terminating connection'), { code: '08006', severity: 'FATAL' });
  await expect(overReachablePractices(cluster().source, () => Promise.reject(lost))).rejects.toBe(lost);
});

it('each of its tables has the condition, as a value', () => {
  expect(DUE.all.text).toBe('SELECT 1 FROM patient p WHERE p.id > $1  /* over all practices: the test looks for what is due */');
  expect(DUE.some.text).toContain('p.id > $1 AND p.organization_id = ANY ($2::int[])');
  const { sql, values } = among([4, 5], 'p', 'c');
  expect([sql, values]).toEqual([
    'AND p.organization_id = ANY (?::int[]) AND c.organization_id = ANY (?::int[])',
    [
      [4, 5],
      [4, 5],
    ],
  ]);
  expect(among(null, 'p').sql).toBe('');
  expect([ofThem(null), ofThem([4])]).toEqual([{}, { organizationId: { in: [4] } }]);
});
