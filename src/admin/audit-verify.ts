import type { Command } from 'commander';
import { z } from 'zod';
import { createPlace } from '../backup/place.ts';
import { type Anchor, areExplained, readAnchors } from '../domain/audit/anchors.ts';
import type { ChainHead } from '../domain/audit/chain-links.ts';
import { type ArchivedPart, type ChainReport, verifyChain } from '../domain/audit/verify-chain.ts';
import { findOrganization, listOrganizations } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import { createAnchorStore } from '../gateways/anchor-store.ts';
import { explanationRow, explanationSentence } from './audit-explain.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import { archivePlace, id, text } from './options.ts';
import { type CommandResult, type Row, table } from './output.ts';
import type { Session } from './session.ts';

/** Declares `audit verify`. */
export function verifyCommand(audit: Command, command: CommandDeclarer['command']): void {
  command(audit, 'verify', {
    summary: 'Walk the chain of seals and name the first link that does not hold',
    details:
      'Exits with 1 when an entry was edited, deleted, added or moved after it was sealed. Stretches that audit explain closed are named. ' +
      'The walk begins at the checkpoint of the archive, or with --archive at the first entry there.',
    options: verifyOptions,
    keys: 'others',
    run: verify,
  });
}

const verifyOptions = z.object({
  organization: id().exactOptional().describe('only this practice (default all)'),
  head: z
    .string()
    .regex(/^\d{1,18}:[A-Za-z0-9_-]{43}$/, 'must be a position and a hash with a colon between, as verify showed it')
    .transform((input): ChainHead => {
      const [position = '', hash = ''] = input.split(':');
      return { position: BigInt(position), hash };
    })
    .exactOptional()
    .meta({ placeholder: 'position:hash' })
    .describe('a head that the chain of the practice once had, from the log of the server or an earlier verify: it must still be there'),
  anchors: text(1_000)
    .exactOptional()
    .meta({ placeholder: 'file or s3://bucket/prefix' })
    .describe('anchors that audit anchor made: all their heads must still be there'),
  archive: archivePlace().exactOptional().describe('where audit archive wrote: the segments there are walked over before the table'),
});

interface Anchored {
  heads: Anchor['heads'];
  /** Sentences about the anchors that cannot be used. */
  problems: string[];
  /** Sentences about those of a key that is gone. */
  remarks: string[];
}

/** The heads in the anchors of a place. */
async function anchored({ config, db, keyring }: Session, target: string | undefined): Promise<Anchored> {
  if (target === undefined) return { heads: [], problems: [], remarks: [] };
  const { anchors, foreign, altered } = readAnchors(keyring, await createAnchorStore(target, config).read());
  const explained = new Set<number>();
  for (const { number, heads } of foreign) if (await areExplained(db, keyring, heads)) explained.add(number);
  const problems = [...altered, ...foreign.map(({ number }) => number).filter((number) => !explained.has(number))].map(
    (number) => `Anchor ${number} of ${target} was altered, or was signed under other MASTER_KEYS; it was not used.`,
  );
  const remarks = [...explained].map(
    (number) => `Anchor ${number} of ${target} was signed under the key of an explained stretch; its heads are in the chains.`,
  );
  return { heads: anchors.flatMap(({ heads }) => heads), problems, remarks };
}

async function verify(
  session: Session,
  { organization: only, head, anchors, archive }: z.output<typeof verifyOptions>,
): Promise<CommandResult> {
  if (head !== undefined && only === undefined) throw new UsageError('--head is the head of one practice: name it with --organization.');
  const reports: ChainReport[] = [];
  const { heads, problems, remarks } = await anchored(session, anchors);
  const organizations = await chosen(session, only);
  const others = heads.map(({ organizationId }) => organizationId).filter((id) => !organizations.includes(id));
  const gone = only === undefined ? [...new Set(others)] : [];
  const place = archive === undefined ? undefined : createPlace(archive, session.config);
  for (const organizationId of organizations) {
    const known = heads.filter((one) => one.organizationId === organizationId);
    reports.push(await verifyChain(session.db, session.keyring, organizationId, head ? [...known, head] : known, place));
  }
  const absent = gone.map((id) => `Organization ${id} is in the anchors, and is gone with its audit.`);
  const unknown = place && only === undefined ? await unknownSegments(session, place) : [];
  return verdict(reports, [...absent, ...problems], [...remarks, ...unknown]);
}

const findSegments = (db: Session['db'], organizationId: number, names: string[]) =>
  db.auditCheckpoint.findMany({ where: { organizationId, segment: { in: names } }, select: { segment: true } });

/** Sentences about segments in a place that no checkpoint names: of a run that was cut off, or of another database. */
async function unknownSegments({ db }: Session, place: ReturnType<typeof createPlace>): Promise<string[]> {
  const names = await place.list();
  const known = (await Promise.all((await listOrganizations(db)).map(({ id }) => findSegments(db, id, names)))).flat();
  const unknown = names.filter((name) => !known.some(({ segment }) => segment === name));
  return unknown.map((name) => `Segment ${name} belongs to no checkpoint of this database; it was not looked at.`);
}

async function chosen({ db }: Session, only: number | undefined): Promise<number[]> {
  if (only !== undefined) return [(await findOrganization(db, only)).id];
  return (await listOrganizations(db)).map((one) => one.id);
}

/** @param problems that were found elsewhere, and `remarks` that were made there */
function verdict(reports: ChainReport[], problems: readonly string[], remarks: readonly string[]): CommandResult {
  const json = reports.map(({ organizationId, links, unsealed, head, broken, explained, archive }) => ({
    organization_id: organizationId,
    holds: broken === null,
    links,
    archived: archive?.entries ?? 0,
    unsealed,
    head: head && `${head.position}:${head.hash}`,
    broken: broken && { position: Number(broken.position), audit_entry_id: Number(broken.auditEntryId), what: broken.what },
    explained: explained.map(explanationRow),
    archive: archive ? archiveRow(archive) : null,
  }));
  const text =
    reports.length === 0 ? 'There are no practices yet.' : table(json.map(({ broken: _, explained: __, archive: ___, ...shown }) => shown));
  const sentences = reports.flatMap(({ organizationId, broken }) =>
    broken ? [`The audit of organization ${organizationId} is broken at link ${broken.position}: ${broken.what}.`] : [],
  );
  const all = [...sentences, ...problems];
  const remark = [...reports.flatMap(remarksOn), ...remarks].join('\n');
  return { json, text, ...(remark === '' ? {} : { remark }), ...(all.length === 0 ? {} : { problem: all.join('\n') }) };
}

const remarksOn = ({ organizationId, explained, archive, broken }: ChainReport): string[] => [
  ...explained.map(explanationSentence),
  ...(archive ? archiveRemarks(organizationId, archive, broken === null) : []),
];

function archiveRemarks(organizationId: number, archive: ArchivedPart, holds: boolean): string[] {
  const { entries, firstAt, lastAt, place, isWalked, discarded, unchecked } = archive;
  const span = `from ${writeInstant(firstAt)} to ${writeInstant(lastAt)}`;
  const unread = `The first ${entries} entries of organization ${organizationId}, ${span}, are in the archive and were not looked at; with them: --archive ${place}`;
  const read = `The first ${entries} entries of organization ${organizationId}, ${span}, are in the archive, and the chain goes on from there into the table.`;
  return [
    ...(isWalked ? (holds ? [read] : []) : [unread]),
    ...discarded.map(
      ({ previousPosition, position, firstAt: first, lastAt: last, discard }) =>
        `Of these, entries ${previousPosition + 1n} to ${position}, from ${writeInstant(first)} to ${writeInstant(last)}, were discarded ` +
        `by ${discard?.operator} on ${writeInstant(discard?.at ?? null)}.`,
    ),
    ...(unchecked === 0
      ? []
      : [`${unchecked} heads or explanations of organization ${organizationId} are of entries that were not looked at.`]),
  ];
}

const archiveRow = ({ firstAt, lastAt, place, isWalked, discarded, unchecked }: ArchivedPart) => ({
  first_at: writeInstant(firstAt),
  last_at: writeInstant(lastAt),
  place,
  walked: isWalked,
  unchecked,
  discarded: discarded.map(
    ({ previousPosition, position, discard }): Row => ({
      first: Number(previousPosition) + 1,
      last: Number(position),
      operator: discard?.operator ?? null,
      at: writeInstant(discard?.at ?? null),
    }),
  ),
});
