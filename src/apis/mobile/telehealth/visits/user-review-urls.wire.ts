import { z } from 'zod';
import type { ReviewedSort, ReviewedUser, ReviewUrl } from '../../../../domain/telehealth/visits/review-urls.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, paging } from '../../../../http/wire/wire-types.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';

const URL = {
  uuid: z.int(),
  url: z.string().describe('Begins with https://'),
  title: z.string().nullable(),
  created_at: instant(),
  updated_at: instant(),
};

const ReviewUrlShape = z
  .strictObject({
    ...URL,
    user_id: z.int(),
    user: z.strictObject({ uuid: z.int(), firstname: z.string(), lastname: z.string() }),
  })
  .meta({ id: 'UserReviewUrl' });

const ReviewedUserShape = z
  .strictObject({
    uuid: z.int(),
    firstname: z.string(),
    lastname: z.string(),
    email: z.string().nullable(),
    user_type: z.string(),
    review_urls: z.array(z.strictObject(URL)).describe('At least one, sorted by id'),
  })
  .meta({ id: 'UserWithReviewUrl' });

export const ReviewUrlResponse = one(ReviewUrlShape).meta({ id: 'UserReviewUrlResponse' });
export const ReviewUrlList = wrapList(ReviewUrlShape).meta({ id: 'UserReviewUrlList' });
export const ReviewedUserList = wrapList(ReviewedUserShape).meta({ id: 'UserWithReviewUrlList' });

const FIELDS = { lastname: 'lastName', firstname: 'firstName', title: 'lastName', uuid: 'id', id: 'id' } as const satisfies Record<
  string,
  ReviewedSort['by']
>;

export const reviewUrlParams = z.object({ uuid: id().describe('Review URL id') });
export const reviewUrlsQuery = z.object(paging);
export const reviewedUsersQuery = z.object({ ...sortBy(FIELDS), ...paging });

export function toReviewedSort({ sort, order }: z.output<typeof reviewedUsersQuery>): ReviewedSort {
  return { by: sort, descending: order === 'DESC' };
}

const fromUrl = ({ id: uuid, url, title, createdAt, updatedAt }: ReviewedUser['reviewUrls'][number]) => ({
  uuid,
  url,
  title,
  created_at: writeInstant(createdAt),
  updated_at: writeInstant(updatedAt),
});

export function fromReviewUrl({ user, ...url }: ReviewUrl): z.input<typeof ReviewUrlShape> {
  return { ...fromUrl(url), user_id: user.id, user: { uuid: user.id, firstname: user.firstName, lastname: user.lastName } };
}

export function fromReviewedUser(user: ReviewedUser): z.input<typeof ReviewedUserShape> {
  return {
    uuid: user.id,
    firstname: user.firstName,
    lastname: user.lastName,
    email: user.email,
    user_type: user.type,
    review_urls: user.reviewUrls.map(fromUrl),
  };
}
