import type pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';
import type { Db } from './database.ts';
import { NODE_DOWN_MS } from './distribution/node-watch.ts';
import { isNodeDown, isTimedOut } from './errors.ts';
import { createPrepared, type Prepared, preparedIn, type Statement, statement } from './statement.ts';

/** The practices to which a statement over all of them is limited; null for all. */
export type OnlyPractices = readonly number[] | null;

const PRACTICES = statement<{ id: number }>('practice_ids', 'SELECT id FROM organization', {
  overAllPractices: 'those on nodes that answer are told from the others',
});
/** Value: organization. */
const ON_REACHABLE_NODE = statement<{ found: number }>(
  'practice_on_reachable_node',
  'SELECT 1 AS found FROM patient WHERE organization_id = $1::int LIMIT 1',
);
/** The practices of each node. Reads the catalogue of a cluster, which one machine does not have. Values: organizations. */
const NODES: Statement<{ practices: number[] }> = {
  name: 'practices_of_nodes',
  text: `SELECT array_agg(o.id) AS practices
           FROM unnest($1::int[]) AS o (id)
           JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('patient', o.id)
          GROUP BY p.groupid`,
};

/** The sender of a statement: Prisma, the pool, or prepared statements on either. */
type Source = Db | pg.Pool | Prepared;

function preparedOf(source: Source): Prepared {
  if ('rows' in source) return source;
  return '$queryRaw' in source ? preparedIn(source) : createPrepared(source);
}

const leftOut = new WeakMap<object, { until: number; practices: number[] }>();

/**
 * Runs a statement over all practices. On a cluster it needs every node: while one is down it is limited to the practices of the others, so
 * that their work goes on. After that they alone are asked for NODE_DOWN_MS.
 * @param run with practices sends a statement that names them at each of its tables (`among`): the engine then asks no other node
 */
export async function overReachablePractices<T>(source: Source, run: (only: OnlyPractices) => Promise<T>): Promise<T> {
  const known = leftOut.get(source);
  if (known && performance.now() < known.until) return run(known.practices);
  leftOut.delete(source);
  try {
    return await run(null);
  } catch (error) {
    if (!isNodeDown(error)) throw error;
    const practices = await practicesOnReachableNodes(preparedOf(source));
    leftOut.set(source, { until: performance.now() + NODE_DOWN_MS, practices });
    return run(practices);
  }
}

/**
 * Works on the rows of each practice, one after the other: one whose node is down holds up no other.
 * @throws the error of a node only where it is that of every practice; any other at once
 */
export async function ofEachPractice<T extends { organizationId: number }>(
  rows: readonly T[],
  work: (organizationId: number, ofPractice: T[]) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const practices = Map.groupBy(rows, ({ organizationId }) => organizationId);
  for (const [organizationId, ofPractice] of practices) {
    try {
      await work(organizationId, ofPractice);
    } catch (error) {
      if (!isNodeDown(error)) throw error;
      failures.push(error);
    }
  }
  if (practices.size > 0 && failures.length === practices.size) throw failures[0];
}

async function practicesOnReachableNodes(prepared: Prepared): Promise<number[]> {
  const ids = (await prepared.rows(PRACTICES, [])).map(({ id }) => id);
  const nodes = await prepared.rows(NODES, [ids]);
  const reachable = await Promise.all(nodes.map(({ practices }) => isReachable(prepared, practices[0])));
  return nodes.filter((_, n) => reachable[n]).flatMap(({ practices }) => practices);
}

async function isReachable(prepared: Prepared, organizationId: number | undefined): Promise<boolean> {
  try {
    await prepared.rows(ON_REACHABLE_NODE, [organizationId]);
    return true;
  } catch (error) {
    // A node that stands still answers nothing, and refuses nothing.
    if (!isNodeDown(error) && !isTimedOut(error)) throw error;
    return false;
  }
}

/** The condition on the rows of tables in a statement of Prisma, beginning with AND; nothing where it goes over all practices. */
export function among(only: OnlyPractices, ...tables: string[]): Prisma.Sql {
  if (only === null) return Prisma.empty;
  const conditions = tables.map((table) => Prisma.sql`AND ${Prisma.raw(table)}.organization_id = ANY (${only}::int[])`);
  return Prisma.join(conditions, ' ');
}

/** The same for a query of Prisma: a part of its `where`. */
export const ofThem = (only: OnlyPractices) => (only === null ? {} : { organizationId: { in: [...only] } });

/** The condition on the rows of tables in a statement's text, beginning with AND; empty where it goes over all practices. */
export type AmongThem = (...tables: string[]) => string;

/** @param parameter number of the parameter that has the practices; null for all */
export const amongThose =
  (parameter: number | null): AmongThem =>
  (...tables) =>
    parameter === null ? '' : tables.map((table) => `AND ${table}.organization_id = ANY ($${parameter}::int[])`).join(' ');

/** A prepared statement over all practices, and the one over some, whose last value they are. */
export interface OverReachablePractices<R extends pg.QueryResultRow> {
  all: Statement<R>;
  some: Statement<R>;
}

/**
 * @param values how many the statement has, without the practices
 * @param text is given what `among` is for Prisma
 * @param because it goes over all practices
 */
export function statementOverReachablePractices<R extends pg.QueryResultRow>(
  name: string,
  values: number,
  text: (amongThem: AmongThem) => string,
  because: string,
): OverReachablePractices<R> {
  const kind = { overAllPractices: because };
  return {
    all: statement(name, text(amongThose(null)), kind),
    some: statement(`${name}_among`, text(amongThose(values + 1)), kind),
  };
}

/** Sends it. */
export const rowsOfReachablePractices = <R extends pg.QueryResultRow>(
  source: Source,
  { all, some }: OverReachablePractices<R>,
  values: readonly unknown[],
): Promise<R[]> =>
  overReachablePractices(source, (only) => {
    const { rows } = preparedOf(source);
    return only ? rows(some, [...values, only]) : rows(all, values);
  });
