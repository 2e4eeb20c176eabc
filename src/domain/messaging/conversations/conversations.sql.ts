import { statement } from '../../../database/statements/statement.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { guardianIn, joinGuardian, selectReached } from '../../patients/guardians/reached.sql.ts';
import { unrestrictedUnless } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { PageStart } from '../../values/paging.ts';

/** The number with which a text was exchanged. An index of the texts begins with it. */
const otherSide = (m: 'm' | 'n') => Prisma.raw(`(CASE WHEN ${m}.direction = 'inbound' THEN ${m}.from_number ELSE ${m}.to_number END)`);

/** The practice, and what a caller may see of its texts. */
export interface ConversationScope {
  organizationId: number;
  mayRestricted: boolean;
  /** The restricted charts that the caller has opened. */
  opened: number[];
  /** The numbers of the other restricted charts. */
  restrictedNumbers: string[];
}

/**
 * Texts that a caller sees whole. Those of restricted and blocked patients are in no conversation, nor are those that came from such a
 * patient's number and are nobody's.
 */
function whereVisible({ organizationId, mayRestricted, opened, restrictedNumbers }: ConversationScope, m: 'm' | 'n'): Prisma.Sql {
  if (mayRestricted) return Prisma.sql`${otherSide(m)} <> ''`;
  const [patient, direction, from, toGuardian] = ['patient_id', 'direction', 'from_number', 'to_guardian'].map((column) =>
    Prisma.raw(`${m}.${column}`),
  );
  return Prisma.sql`${otherSide(m)} <> ''
    AND (${patient} IS NULL OR ${patient} NOT IN (
          SELECT r.id FROM patient r WHERE r.organization_id = ${organizationId} AND r.restricted AND r.id <> ALL (${opened}::int[])))
    AND (${direction} = 'outbound' OR ${patient} IS NOT NULL OR ${from} <> ALL (${restrictedNumbers}::text[]))
    AND (NOT ${toGuardian} OR ${otherSide(m)} <> ALL (${restrictedNumbers}::text[]))`;
}

/** Texts that are to leave at a chosen time are not what was said last. */
const isNow = (m: 'm' | 'n') => Prisma.raw(`(${m}.scheduled_at IS NULL OR ${m}.queued_at <= now())`);

export interface ConversationFilter {
  /** Those with a text of this patient. */
  patientId?: number | undefined;
  /** The same by the id of a contact, or those with the number of one who is no patient. */
  contactId?: number | undefined;
  /** With an open item of the inbox, or without one. */
  open?: boolean | undefined;
  /** With an open item of this user: assigned to them, or to nobody while it belongs to a group of theirs or to the whole practice. */
  userId?: number | undefined;
}

/** The number of an item `i` of the inbox: without one, that by which its patient is reached. */
const NUMBER_OF_ITEM = `coalesce(i.number, ${selectReached('mobile_phone')}, ${selectReached('home_phone')})`;

/** The numbers of open items of the inbox. One that is nobody's may be a restricted patient's. */
const openNumbers = ({ organizationId, mayRestricted, opened, restrictedNumbers }: ConversationScope, userId?: number) => Prisma.sql`
  SELECT ${Prisma.raw(NUMBER_OF_ITEM)} AS number
    FROM inbox_item i LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = i.patient_id ${guardianIn(organizationId)}
   WHERE i.organization_id = ${organizationId} AND i.closed_at IS NULL
     AND (${mayRestricted} OR p.restricted IS NOT TRUE OR p.id = ANY (${opened}::int[]))
     AND (i.patient_id IS NOT NULL OR i.number <> ALL (${restrictedNumbers}::text[]))
     ${userId === undefined ? Prisma.empty : whereUsersItem(organizationId, userId)}`;

const whereUsersItem = (organizationId: number, userId: number) => Prisma.sql`
  AND (i.assigned_user_id = ${userId} OR (i.assigned_user_id IS NULL AND (i.chat_id IS NULL OR i.chat_id IN (
       SELECT c.chat_id FROM chat_member c WHERE c.organization_id = ${organizationId} AND c.user_id = ${userId}))))`;

/** The numbers that a filter names; empty where it names none, and all are meant. */
function listNamedNumbers(scope: ConversationScope, { patientId, contactId, open, userId }: ConversationFilter): Prisma.Sql[] {
  const { organizationId } = scope;
  const ofPatient = (id: number) => Prisma.sql`
    SELECT ${otherSide('m')} AS number FROM sms_message m WHERE m.organization_id = ${organizationId} AND m.patient_id = ${id}`;
  return [
    ...(patientId === undefined ? [] : [ofPatient(patientId)]),
    ...(contactId === undefined
      ? []
      : [
          Prisma.sql`${ofPatient(contactId)} UNION
          SELECT c.phone FROM contact c WHERE c.organization_id = ${organizationId} AND c.id = ${contactId} AND c.patient_id IS NULL`,
        ]),
    ...(open === true || userId !== undefined ? [openNumbers(scope, userId)] : []),
  ];
}

/** All numbers, each by a step down the index. */
const allNumbers = ({ organizationId }: ConversationScope) => Prisma.sql`
  WITH RECURSIVE known AS (
    (SELECT ${otherSide('m')} AS number FROM sms_message m
      WHERE m.organization_id = ${organizationId} AND ${otherSide('m')} > '' ORDER BY ${otherSide('m')} LIMIT 1)
     UNION ALL
    SELECT (SELECT ${otherSide('m')} FROM sms_message m
             WHERE m.organization_id = ${organizationId} AND ${otherSide('m')} > known.number ORDER BY ${otherSide('m')} LIMIT 1)
      FROM known WHERE known.number IS NOT NULL)
  SELECT known.number FROM known`;

/** The newest text of each number, as `id`, `queued_at` and `number`. */
const selectLatest = (scope: ConversationScope, numbers: Prisma.Sql) => Prisma.sql`
  (SELECT s.number, t.id, t.queued_at FROM (SELECT DISTINCT d.number FROM (${numbers}) AS d WHERE d.number IS NOT NULL) AS s CROSS JOIN LATERAL (
    SELECT m.id, m.queued_at FROM sms_message m
     WHERE m.organization_id = ${scope.organizationId} AND ${otherSide('m')} = s.number AND ${isNow('m')} AND ${whereVisible(scope, 'm')}
     ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) AS t) AS l`;

/** The same of all numbers, by the texts that no other follows: a page of the newest reads little more than itself. */
const latestOfAll = (scope: ConversationScope) => Prisma.sql`
  (SELECT ${otherSide('m')} AS number, m.id, m.queued_at FROM sms_message m
    WHERE m.organization_id = ${scope.organizationId} AND ${isNow('m')} AND ${whereVisible(scope, 'm')}
      AND NOT EXISTS (
        SELECT FROM sms_message n WHERE n.organization_id = ${scope.organizationId} AND ${otherSide('n')} = ${otherSide('m')}
           AND (n.queued_at, n.id) > (m.queued_at, m.id) AND ${isNow('n')} AND ${whereVisible(scope, 'n')})) AS l`;

/** The numbers that a filter names, each once in a list; null where it names none, and all are meant. */
function selectNamedNumbers(scope: ConversationScope, filter: ConversationFilter): Prisma.Sql | null {
  const named = listNamedNumbers(scope, filter).map((one) => Prisma.sql`(${one})`);
  return named.length === 0 ? null : Prisma.join(named, ' INTERSECT ');
}

/** Leaves out those with an open item, where a filter says so. */
const withoutItem = (scope: ConversationScope, { open }: ConversationFilter) =>
  open === false
    ? Prisma.sql`l.number NOT IN (SELECT o.number FROM (${openNumbers(scope)}) AS o WHERE o.number IS NOT NULL)`
    : Prisma.sql`true`;

const limitPage = ({ limit, offset, after: [at, id] }: PageStart) => Prisma.sql`
  ${at === undefined ? Prisma.empty : Prisma.sql`AND (l.queued_at, l.id) < (${at}::timestamptz, ${id}::bigint)`}
  ORDER BY l.queued_at DESC, l.id DESC LIMIT ${limit}::int OFFSET ${offset}::int`;

/** Conversations by their newest texts, newest first. */
export function conversationPage(scope: ConversationScope, filter: ConversationFilter, window: PageStart): Prisma.Sql {
  const numbers = selectNamedNumbers(scope, filter);
  const latest = numbers === null ? latestOfAll(scope) : selectLatest(scope, numbers);
  return Prisma.sql`SELECT l.id, l.queued_at AS "queuedAt", l.number FROM ${latest} WHERE ${withoutItem(scope, filter)} ${limitPage(window)}`;
}

export const conversationCount = (scope: ConversationScope, filter: ConversationFilter): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS total FROM ${selectLatest(scope, selectNamedNumbers(scope, filter) ?? allNumbers(scope))} WHERE ${withoutItem(scope, filter)}`;

/** The texts of a conversation that are filed with a patient, or with nobody where the id is that of the number's own contact. */
const filedWith = ({ organizationId }: ConversationScope, number: string, id: number) => Prisma.sql`
  AND (m.patient_id = ${id} OR (m.patient_id IS NULL AND EXISTS (
        SELECT FROM contact c WHERE c.organization_id = ${organizationId} AND c.id = ${id} AND c.patient_id IS NULL AND c.phone = ${number})))`;

const textsWith = (scope: ConversationScope, number: string, contactId?: number) => Prisma.sql`
  (SELECT m.id, m.queued_at, CASE WHEN m.direction = 'inbound' THEN m.to_number ELSE m.from_number END AS line, m.patient_id FROM sms_message m
    WHERE m.organization_id = ${scope.organizationId} AND ${otherSide('m')} = ${number} AND ${whereVisible(scope, 'm')}
      ${contactId === undefined ? Prisma.empty : filedWith(scope, number, contactId)}) AS l WHERE true`;

/** The texts of a conversation, newest first. `line` is the practice's own number. */
export const messagePage = (scope: ConversationScope, number: string, contactId: number | undefined, window: PageStart): Prisma.Sql =>
  Prisma.sql`SELECT l.id, l.queued_at AS "queuedAt", l.line, l.patient_id AS "patientId" FROM ${textsWith(scope, number, contactId)} ${limitPage(window)}`;

export const messageCount = (scope: ConversationScope, number: string, contactId: number | undefined): Prisma.Sql =>
  Prisma.sql`SELECT count(*)::int AS total FROM ${textsWith(scope, number, contactId)}`;

/** The open items of the inbox with numbers. Values: organization, numbers, whether restricted charts may be seen, numbers of restricted charts. */
export const OPEN_ITEMS_OF_NUMBERS = statement<{ number: string; id: number; urgent: boolean; acknowledged: boolean }>(
  'open_items_of_numbers',
  `SELECT s.number, i.id, i.urgent, i.acknowledged_at IS NOT NULL AS acknowledged
     FROM inbox_item i LEFT JOIN patient p ON p.organization_id = $1 AND p.id = i.patient_id ${joinGuardian('$1')}
     JOIN unnest($2::text[]) AS s (number) ON s.number = ${NUMBER_OF_ITEM}
    WHERE i.organization_id = $1 AND i.closed_at IS NULL 
      AND CASE WHEN i.patient_id IS NULL THEN s.number <> ALL ($4::text[]) ELSE ${unrestrictedUnless('p', '$3')} END
    ORDER BY s.number, i.urgent DESC, i.latest_at DESC, i.id DESC`,
);
