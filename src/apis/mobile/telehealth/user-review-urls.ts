import { findReviewUrl, listReviewedUsers, listReviewUrls } from '../../../domain/telehealth/review-urls.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  fromReviewedUser,
  fromReviewUrl,
  ReviewedUserList,
  ReviewUrlList,
  ReviewUrlResponse,
  reviewedUsersQuery,
  reviewUrlParams,
  reviewUrlsQuery,
  toReviewedSort,
} from './user-review-urls.wire.ts';

const TAG = { tag: 'Review URLs' } as const;

/** Addresses at which patients can review users. */
export function userReviewUrlRoutes({ get }: Endpoints): void {
  get('/user-review-url/', {
    ...TAG,
    operationId: 'listUserReviewUrls',
    summary: 'List where users can be reviewed',
    description: 'Those of the active users of the organization, by id.',
    query: reviewUrlsQuery,
    response: ReviewUrlList,
    handle: async ({ db, caller, query, request }) => writePage(request, await listReviewUrls(db, caller, query), fromReviewUrl),
  });

  get('/user-review-url/listUsersWithReviewUrl', {
    ...TAG,
    operationId: 'listUsersWithReviewUrl',
    summary: 'List the users who can be reviewed',
    description: 'Those who work in the organization now, each with every address.',
    query: reviewedUsersQuery,
    response: ReviewedUserList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listReviewedUsers(db, caller, toReviewedSort(query), query), fromReviewedUser),
  });

  get('/user-review-url/:uuid', {
    ...TAG,
    operationId: 'getUserReviewUrl',
    summary: 'Read where a user can be reviewed',
    description: 'Also of one who has left.',
    params: reviewUrlParams,
    response: ReviewUrlResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromReviewUrl(await findReviewUrl(db, caller, params.uuid)) }),
  });
}
