import type { Command } from 'commander';
import { z } from 'zod';
import { createPlace } from '../../backup/places/place.ts';
import type { ChainHead } from '../../domain/audit/chain/chain-links.ts';
import { type ArchivedPart, type ChainReport, verifyChain } from '../../domain/audit/chain/verify-chain.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { folderOrBucket, text } from '../terminal/options.ts';
import { type CommandResult, type Row, table } from '../terminal/output.ts';
import { findPractice, type NamedPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';
import { describeRestores, readEvidence } from './audit-restored.ts';

export function verifyCommand(audit: Command, command: CommandDeclarer['command']): void {
  command(audit, 'verify', {
    summary: 'Verify the chain of seals and name the first broken link',
    details:
      'Exits with 1 when an entry was edited, deleted, added or moved after it was sealed. Links that were sealed under a lost master key ' +
      'cannot be checked and are reported. Verification starts at the checkpoint of the archive, or with --archive at its first entry.',
    options: verifyOptions,
    keys: 'others',
    run: verify,
  });
}

const verifyOptions = z.object({
  practice: practice().exactOptional().describe('id or key of the only practice to verify (default: all)'),
  head: z
    .string()
    .regex(/^\d{1,18}:[A-Za-z0-9_-]{43}$/, 'must be a position and a hash separated by a colon, as shown by verify')
    .transform((input): ChainHead => {
      const [position = '', hash = ''] = input.split(':');
      return { position: BigInt(position), hash };
    })
    .exactOptional()
    .meta({ placeholder: 'position:hash' })
    .describe('an earlier head of the practice’s chain, from the server log or an earlier verify, which must still be in it'),
  anchors: text(1_000)
    .exactOptional()
    .meta({ placeholder: 'file or s3://bucket/prefix' })
    .describe('anchors written by audit anchor; all their heads must still be in the chains'),
  archive: folderOrBucket().exactOptional().describe('the archive; its files are verified before the table'),
});

async function verify(
  session: Session,
  { practice: only, head, anchors, archive }: z.output<typeof verifyOptions>,
): Promise<CommandResult> {
  if (head !== undefined && only === undefined) throw new UsageError('--head is the head of one practice: add --practice.');
  const reports: ChainReport[] = [];
  const evidence = anchors === undefined ? null : await readEvidence(session, anchors);
  const { heads, restores, problems } = evidence ?? { heads: [], restores: [], problems: [] };
  const organizations = await choosePractices(session, only);
  const others = heads.map(({ organizationId }) => organizationId).filter((id) => !organizations.includes(id));
  const gone = only === undefined ? [...new Set(others)] : [];
  const place = archive === undefined ? undefined : await createPlace(archive, session.config);
  let mayBeRestored = gone.length > 0;
  for (const organizationId of organizations) {
    const known = heads.filter((one) => one.organizationId === organizationId);
    const walk = (expected: readonly ChainHead[]) => verifyChain(session.db, session.keyring, organizationId, expected, place);
    const named = head ? [head] : [];
    const report = await walk([...known, ...named]);
    reports.push(report);
    if (report.broken && known.length > 0) mayBeRestored ||= (await walk(named)).broken === null;
  }
  const absent = gone.map((id) => `Practice ${id} is in the anchors, but its audit is missing.`);
  const hint = `If the database was restored to an older state, record it: npm run admin -- audit restored --anchors ${anchors}`;
  return verdict(reports, {
    problems: [...absent, ...problems, ...(mayBeRestored ? [hint] : [])],
    restored: describeRestores(restores, organizations),
  });
}

async function choosePractices({ db }: Session, only: NamedPractice | undefined): Promise<number[]> {
  if (only !== undefined) return [(await findPractice(db, only)).id];
  return (await listOrganizations(db)).map((one) => one.id);
}

interface Elsewhere {
  problems: readonly string[];
  /** Sentences about recorded restores. */
  restored: readonly string[];
}

/** @param elsewhere what was found outside of the chains */
function verdict(reports: ChainReport[], { problems, restored }: Elsewhere): CommandResult {
  const json = reports.map(({ organizationId, links, unsealed, head, broken, unverifiable, archive }) => ({
    practice_id: organizationId,
    holds: broken === null,
    links,
    archived: archive?.entries ?? 0,
    unsealed,
    head: head && `${head.position}:${head.hash}`,
    broken: broken && { position: Number(broken.position), audit_entry_id: Number(broken.auditEntryId), what: broken.what },
    unverifiable: unverifiable && { position: Number(unverifiable.position), at: writeInstant(unverifiable.at) },
    archive: archive ? archiveRow(archive) : null,
  }));
  const text =
    reports.length === 0
      ? 'There are no practices yet.'
      : table(json.map(({ broken: _, unverifiable: __, archive: ___, ...shown }) => shown));
  const sentences = reports.flatMap(({ organizationId, broken }) =>
    broken ? [`The audit of practice ${organizationId} is broken at link ${broken.position}: ${broken.what}.`] : [],
  );
  const all = [...sentences, ...problems];
  const remark = [...restored, ...reports.flatMap(remarksOn)].join('\n');
  return { json, text, ...(remark === '' ? {} : { remark }), ...(all.length === 0 ? {} : { problem: all.join('\n') }) };
}

const remarksOn = ({ organizationId, unverifiable, archive, broken }: ChainReport): string[] => [
  ...(unverifiable
    ? [
        `Links up to ${unverifiable.position} of practice ${organizationId}, until ${writeInstant(unverifiable.at)}, include some that were ` +
          'sealed under a lost master key: these cannot be verified.',
      ]
    : []),
  ...(archive ? archiveRemarks(organizationId, archive, broken === null) : []),
];

function archiveRemarks(organizationId: number, archive: ArchivedPart, holds: boolean): string[] {
  const { entries, firstAt, lastAt, place, isWalked, discarded, unchecked } = archive;
  const span = `from ${writeInstant(firstAt)} to ${writeInstant(lastAt)}`;
  const first = entries === 1 ? 'The first entry' : `The first ${entries} entries`;
  const where = `${first} of practice ${organizationId}, ${span}, ${entries === 1 ? 'is' : 'are'} in the archive`;
  const unread = `${where} and ${entries === 1 ? 'was' : 'were'} not checked; to include them, add: --archive ${place}`;
  const read = `${where}, and the chain goes on from there into the table.`;
  return [
    ...(isWalked ? (holds ? [read] : []) : [unread]),
    ...discarded.map(
      ({ previousPosition, position, firstAt: since, lastAt: until, discarded: by }) =>
        `Of these, entries ${previousPosition + 1n} to ${position}, from ${writeInstant(since)} to ${writeInstant(until)}, were discarded ` +
        `by ${by?.operator} on ${writeInstant(by?.at ?? null)}.`,
    ),
    ...(unchecked === 0 ? [] : [`Heads of practice ${organizationId} that are of entries which were not looked at: ${unchecked}.`]),
  ];
}

const archiveRow = ({ firstAt, lastAt, place, isWalked, discarded, unchecked }: ArchivedPart) => ({
  first_at: writeInstant(firstAt),
  last_at: writeInstant(lastAt),
  place,
  walked: isWalked,
  unchecked,
  discarded: discarded.map(
    ({ previousPosition, position, discarded: by }): Row => ({
      first: Number(previousPosition) + 1,
      last: Number(position),
      operator: by?.operator ?? null,
      at: writeInstant(by?.at ?? null),
    }),
  ),
});
