import type { SessionRecord } from '../../../domain/telehealth/sessions/session-lists.ts';
import { card } from '../../design/content/card.ts';
import { button } from '../../design/forms/button.ts';
import { html } from '../../html.ts';
import { timeIn } from './schedule-view.ts';

/** The visit that a host comes from: who was there, how long, and what is kept of it; and the way back while it runs. */
export function visitSummary(visit: SessionRecord, timeZone: string): string {
  const { guid, ended_at: endedAt, image_count: images, video_count: videos } = visit;
  const writeAt = (instant: string) => timeIn(new Date(instant), timeZone);
  const came = visit.participants.filter(({ role, joinedAt }) => role === 'guest' && joinedAt !== null);
  const names = [...new Set(came.map(({ name }) => name ?? 'Patient'))];
  // The visit, not the session: its host may have come long before anybody else.
  const [startedAt] = came.flatMap(({ joinedAt }) => joinedAt ?? []).sort();
  const [leftAt = endedAt] = came
    .flatMap((guest) => guest.leftAt ?? [])
    .sort()
    .reverse();
  const span =
    endedAt === null || leftAt === null ? ', not ended yet' : ` to ${writeAt(leftAt)}, ${writeLength(startedAt ?? leftAt, leftAt)}`;
  const kept = [images > 0 ? writeQuantity(images, 'picture') : '', videos > 0 ? writeQuantity(videos, 'recording') : ''].filter(Boolean);
  return card({
    title: 'Your last visit',
    attributes: { id: 'last-visit' },
    content: html`
<p><bdi>${names.length === 0 ? 'Nobody came.' : `With ${names.join(', ')}.`}</bdi>
${startedAt === undefined ? '' : `${writeAt(startedAt)}${span}.`}
${kept.length === 0 ? '' : `Kept: ${kept.join(', ')}.`}</p>
!${
      endedAt === null
        ? html`<form method="post" action="/lobby/open"><input type="hidden" name="visit" value="${guid}">!${button({ label: 'Back to the visit', kind: 'plain', icon: 'camera' })}</form>`
        : ''
    }`,
  });
}

function writeLength(from: string, to: string): string {
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  return minutes === 0 ? 'less than a minute' : writeQuantity(minutes, 'minute');
}

const writeQuantity = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
