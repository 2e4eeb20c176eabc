/** A release, and the newest migration that it has. */
interface Release {
  version: string;
  newestMigration: string;
}

/** The releases before this one, oldest first. Their databases are upgraded in one step, whichever it is. */
export const EARLIER_RELEASES: readonly Release[] = [{ version: '0.1.0', newestMigration: '20261130040000_audit_explanations' }];

/**
 * The release that last migrated a database, in words.
 * @param pending names of the migrations that it lacks, of which there is one at least
 */
export function releaseOf(pending: readonly string[]): string {
  const oldest = pending.toSorted()[0] ?? '';
  const release = EARLIER_RELEASES.findLast(({ newestMigration }) => newestMigration < oldest);
  return release === undefined ? `before release ${EARLIER_RELEASES[0]?.version}` : `of release ${release.version} or later`;
}
