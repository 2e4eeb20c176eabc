import { timeOfDay } from '../../../domain/messaging/templates/appointment-times.ts';
import type { FreeTime } from '../../../domain/scheduling/free-time/free-time.ts';
import type { BookableType, ChoicePage, ShownTime } from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import type { BookingPage } from '../../../domain/scheduling/patient-booking/booking-page.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { writeDay } from '../../../domain/values/time/time.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { list } from '../../design/content/list.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { confirmedButton } from '../../design/forms/confirmed-button.ts';
import { writePage } from '../../design/layout/page.ts';
import { practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { callLink } from '../../links/call-link.ts';
import { renderTime, writeDayName, writeTime } from './booking-times.ts';
import { BOOKING_WORDS, type BookingWords } from './booking-words.ts';

/** Something that happened a moment ago, in a word of the address. */
export const NEWS = ['taken', 'over', 'cancelled', 'passed', 'offerOver'] as const;
export type News = (typeof NEWS)[number];

export interface View {
  /** Of the page; those of its forms begin with it. */
  address: string;
  language: Language;
  news: News | null;
  /** Nobody has proven who they are: they choose a time before they say it, and wait for none. */
  isPublic?: true;
}

/** The choices so far. */
export type Step =
  | { at: 'start' }
  | { at: 'type' }
  | { at: 'day'; type: BookableType; days: Day[]; until: Date }
  | { at: 'time'; type: BookableType; day: string; groups: Group[] }
  | { at: 'confirm'; holdId: number; time: ShownTime };

/** A day with free times, as `2026-03-08`. */
export interface Day {
  day: string;
  count: number;
}

/** Free times of a day with one provider at one office. */
export interface Group {
  provider: string;
  office: string;
  timeZone: string;
  times: FreeTime[];
}

export function bookingView(page: BookingPage, view: View, step: Step): string {
  const { offer, visit, isOver } = page;
  if (isOver) return closedPage(page, view, BOOKING_WORDS[view.language].expired, BOOKING_WORDS[view.language].askAgain);
  if (offer !== null) return offerPage(page, offer, view);
  if (step.at === 'confirm') return confirmPage(page, step, view);
  if (visit !== null && step.at === 'start') return visitPage(page, visit, view);
  return choicePage(page, view, step);
}

const closedPage = ({ practice }: ChoicePage, view: View, title: string, words: (call: string) => string): string =>
  writePage({
    ...view,
    title,
    mark: { icon: 'clock' },
    practice,
    content: html`!${renderNews(view)}<p>!${words(callLink(practice, view.language))}</p>`,
  });

function offerPage({ practice }: BookingPage, offer: ShownTime & { expiresAt: Date }, view: View): string {
  const { address, language } = view;
  const words = BOOKING_WORDS[language];
  return writePage({
    ...view,
    title: words.offer,
    practice,
    content: html`
!${renderTime(offer, language)}
<p class="hint">${words.offerUntil(timeOfDay(offer.expiresAt, offer.timeZone, language))}</p>
<form class="stack" method="post" action="${inLanguage(`${address}/offer`, language)}">
<p>!${button({ label: words.yes, wide: true, attributes: { name: 'answer', value: 'Yes' } })}</p>
<p>!${button({ label: words.no, kind: 'plain', wide: true, attributes: { name: 'answer', value: 'No' } })}</p>
</form>`,
    foot: practiceContact(practice, language),
  });
}

function visitPage({ practice, types, link }: BookingPage, visit: ShownTime, view: View): string {
  const { address, language } = view;
  const words = BOOKING_WORDS[language];
  const mayMove = types.length > 0 && link.expiresAt > new Date();
  return writePage({
    ...view,
    title: words.booked,
    mark: { icon: 'check', kind: 'success' },
    practice,
    content: html`
!${renderNews(view)}
<p>${words.youCome}</p>
!${renderTime(visit, language)}
!${mayMove ? html`<p>!${linkButton({ href: `${address}?move=yes`, label: words.move, kind: 'plain', wide: true })}</p>` : ''}
!${confirmedButton({
      id: 'cancel',
      label: words.cancel,
      kind: 'danger',
      question: words.cancelQuestion,
      words: words.cancelWords,
      keep: words.keep,
      form: { action: inLanguage(`${address}/cancel`, language) },
    })}`,
    foot: practiceContact(practice, language),
  });
}

function confirmPage({ practice, visit }: BookingPage, { holdId, time }: Step & { at: 'confirm' }, view: View): string {
  const { address, language } = view;
  const words = BOOKING_WORDS[language];
  return writePage({
    ...view,
    title: visit === null ? words.confirm : words.confirmMove,
    practice,
    back: { href: writeBackAddress(address, visit !== null), label: words.otherDay },
    content: html`
!${renderTime(time, language)}
<p class="hint">${words.kept}</p>
<form class="stack" method="post" action="${inLanguage(`${address}/book`, language)}">
<input type="hidden" name="hold" value="${holdId}">
<p>!${button({ label: visit === null ? words.book : words.moveIt, wide: true, attributes: { autofocus: true } })}</p>
</form>`,
    foot: practiceContact(practice, language),
  });
}

const writeBackAddress = (address: string, moves: boolean): string => (moves ? `${address}?move=yes` : address);

/** The page at which a type, a day or a time is chosen. */
export function choicePage(page: ChoicePage, view: View, step: Step): string {
  const { practice, types, visit, patientName } = page;
  const { language } = view;
  const words = BOOKING_WORDS[language];
  if (types.length === 0) return closedPage(page, view, words.choose, words.nothing);
  const hello = words.hello(patientName);
  return writePage({
    ...view,
    title: visit === null ? words.choose : words.move,
    practice,
    content: html`
!${renderNews(view)}
!${hello === '' ? '' : html`<p class="hint">${hello}</p>`}
!${step.at === 'day' ? dayList(page, view, step) : step.at === 'time' ? timeList(page, view, step) : typeList(page, view, words)}`,
    foot: practiceContact(practice, language),
  });
}

const query = (moves: boolean, fields: Record<string, string | number>): string =>
  new URLSearchParams({
    ...(moves && { move: 'yes' }),
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
  }).toString();

const typeList = ({ types, visit }: ChoicePage, { address }: View, words: BookingWords): string => html`
<h2>${words.whichType}</h2>
!${list(types.map(({ id, name }) => ({ title: name, href: `${address}?${query(visit !== null, { type: id })}` })))}`;

function dayList(
  { visit, types, waitsFor }: ChoicePage,
  { address, language, isPublic }: View,
  { type, days, until }: Step & { at: 'day' },
): string {
  const words = BOOKING_WORDS[language];
  const moves = visit !== null;
  const waiting = waitsFor.includes(type.id)
    ? html`<p>${words.waits}</p>`
    : html`<form method="post" action="${inLanguage(`${address}/wait`, language)}"><input type="hidden" name="type" value="${type.id}">
<p>!${button({ label: words.wait, kind: 'plain', wide: true })}</p></form>`;
  return html`
<h2>${words.whichDay}</h2>
<p class="hint"><bdi>${type.name}</bdi>!${types.length > 1 ? html` · <a href="${writeBackAddress(address, moves)}">${words.otherType}</a>` : ''}</p>
!${days.length === 0 ? html`<p>${words.noTimes(writeDayName(writeDay(until), language))}</p>` : ''}
!${list(
    days.map(({ day, count }) => ({
      title: writeDayName(day, language),
      href: `${address}?${query(moves, { type: type.id, day })}`,
      detail: words.times(count),
    })),
  )}
<p>!${linkButton({ href: `${address}?${query(moves, { type: type.id, from: writeDay(until) })}`, label: words.later, kind: 'plain', wide: true })}</p>
!${isPublic ? '' : waiting}`;
}

function timeList({ visit }: ChoicePage, { address, language, isPublic }: View, { type, day, groups }: Step & { at: 'time' }): string {
  const words = BOOKING_WORDS[language];
  const timeButton = (time: FreeTime, label: string): string =>
    isPublic
      ? linkButton({ href: `${address}?${query(false, { type: type.id, time: writeTime(time) })}`, label, kind: 'plain' })
      : button({ label, kind: 'plain', attributes: { name: 'time', value: writeTime(time) } });
  const group = ({ provider, office, timeZone, times }: Group) => html`
<h3><bdi>${[provider, office].filter(Boolean).join(', ')}</bdi></h3>
<p class="row">!${times.map((time) => timeButton(time, timeOfDay(new Date(time.start), timeZone, language))).join('')}</p>`;
  return html`
<h2>${words.whichTime(writeDayName(day, language))}</h2>
<p class="hint"><bdi>${type.name}</bdi> · <a href="${address}?${query(visit !== null, { type: type.id })}">${words.otherDay}</a></p>
<form class="stack" method="post" action="${inLanguage(`${address}/hold`, language)}">
<input type="hidden" name="type" value="${type.id}">
!${groups.map(group).join('')}
</form>`;
}

const renderNews = ({ news, language }: View): string =>
  news === null
    ? ''
    : alert({
        kind: news === 'cancelled' || news === 'passed' ? 'success' : 'warning',
        content: html`<p>${BOOKING_WORDS[language][news]}</p>`,
        attributes: { role: 'status' },
      });
