import type { OrganizationLook } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { accentContrast, nearestAccent, TEXT_CONTRAST } from './brand-colour.ts';
import { type Colour, readColour } from './colours.ts';
import type { Logo } from './logo.ts';

export interface PracticeLook {
  /** Of buttons and links, legible on light pages. Null: the colour of the server. */
  colour: Colour | null;
  /** Null: the initials of the practice. */
  logo: { hash: string; width: number; height: number } | null;
}

const SHOWN = { colour: true, logoHash: true, logoWidth: true, logoHeight: true } as const;

export async function findLook(tx: PracticeTx): Promise<PracticeLook> {
  const row = await tx.prisma.organizationLook.findUnique({ where: tx.practice, select: SHOWN });
  return toLook(row ?? { colour: null, logoHash: null, logoWidth: null, logoHeight: null });
}

export type LookRow = Pick<OrganizationLook, keyof typeof SHOWN>;

export const toLook = ({ colour, logoHash: hash, logoWidth: width, logoHeight: height }: LookRow): PracticeLook => ({
  colour: colour === null ? null : readColour(colour),
  logo: hash === null || width === null || height === null ? null : { hash, width, height },
});

/** The PNG of a logo. @returns null where the practice has none with this hash */
export async function findLogo(tx: PracticeTx, hash: string): Promise<Buffer | null> {
  const row = await tx.prisma.organizationLook.findFirst({
    where: { ...tx.practice, logoHash: hash },
    select: { logo: true },
  });
  return row?.logo ? Buffer.from(row.logo) : null;
}

/** Absent means unchanged, null clears. */
export interface LookInput {
  colour?: Colour | null;
  logo?: Logo | null;
}

/** Sets how the practice's pages look. @throws Failure invalid for a colour whose text could not be read, naming the nearest that can */
export async function updateLook(tx: Tx, { colour, logo }: LookInput): Promise<PracticeLook> {
  const { organizationId } = tx;
  if (colour) requireLegible(colour);
  const before = await findLook(tx);
  const changes = {
    ...(colour === undefined || colour === before.colour ? {} : { colour }),
    ...(logo === undefined || (logo?.hash ?? null) === (before.logo?.hash ?? null) ? {} : toColumns(logo)),
  };
  const changed = Object.keys(changes).filter((name) => name === 'colour' || name === 'logo');
  if (changed.length === 0) return before;
  await tx.prisma.organizationLook.upsert({ where: { organizationId }, update: changes, create: { organizationId, ...changes } });
  recordChange(tx, 'administer', { name: 'organization.updated', id: organizationId, changed });
  return findLook(tx);
}

const toColumns = (logo: Logo | null) => ({
  logo: logo ? new Uint8Array(logo.content) : null,
  logoHash: logo?.hash ?? null,
  logoWidth: logo?.width ?? null,
  logoHeight: logo?.height ?? null,
});

function requireLegible(colour: Colour): void {
  const ratio = accentContrast(colour, 'light');
  if (ratio >= TEXT_CONTRAST) return;
  const nearest = nearestAccent(colour);
  throw invalid(
    'colour',
    `${colour} has a contrast of ${ratio.toFixed(1)} to the pages, but text needs ${TEXT_CONTRAST}; the nearest sufficient colour is ${nearest}`,
    'poor_contrast',
  );
}
