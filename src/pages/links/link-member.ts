import { Failure } from '../../domain/errors.ts';
import { type RoomMember, readRoomToken } from '../../domain/telehealth/sessions/room-tokens.ts';
import { cameByLink } from '../../domain/telehealth/sessions/session-links.ts';
import { unknownLink } from '../failures/failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import type { Visitor } from './visitor.ts';

export const badRoomToken = (): Failure => new Failure('unauthenticated', 'bad_token', 'Join the visit first.');

/**
 * The person behind a room token that the page of a link sends.
 * @returns null for somebody who came by another link
 * @throws Failure unauthenticated without a valid room token; not_found for an unknown link
 */
export async function findLinkMember(
  { keyring, unitOfWork }: Pick<PageDeps, 'keyring' | 'unitOfWork'>,
  visitor: Visitor,
  token: string,
): Promise<RoomMember | null> {
  const member = readRoomToken(keyring, 'enter', token);
  if (member === null) throw badRoomToken();
  const isOfLink = await unitOfWork.read(visitor, (tx) => cameByLink(tx, visitor.link, member));
  if (isOfLink === null) throw unknownLink();
  return isOfLink ? member : null;
}
