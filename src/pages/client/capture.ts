/** Pictures of a session, and how what its host takes is handed to the practice. */

/** What a video shows now, at its full size. @throws Error where it shows nothing yet */
export async function pictureOf(video: HTMLVideoElement): Promise<Blob> {
  const { videoWidth: width, videoHeight: height } = video;
  if (width === 0 || height === 0) throw new Error('There is no picture yet.');
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return blobOf(canvas, 'image/png');
}

export function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture.'))), type, 0.85);
  });
}

/** Pauses before what did not reach the server is sent again. */
const AGAIN_MS = [1_000, 3_000, 10_000];

interface Sent {
  file: Blob;
  thumbnail?: Blob;
}

/**
 * Hands what was taken to the practice; several times, where the line or the server is away for a moment.
 * @param roomToken asked each time, since it changes
 * @throws Error with words for the host
 */
export async function send(kind: 'images' | 'videos', roomToken: () => string, files: Sent): Promise<void> {
  for (const pause of [...AGAIN_MS, null]) {
    const answer = await post(kind, roomToken(), files);
    if (answer?.ok) return;
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(await wordsOf(answer));
    if (pause !== null) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`The ${kind === 'images' ? 'picture' : 'recording'} could not be kept: the practice cannot be reached.`);
}

/** Null where it did not get through. */
function post(kind: 'images' | 'videos', roomToken: string, { file, thumbnail }: Sent): Promise<Response | null> {
  const form = new FormData();
  form.append('file', file, kind === 'images' ? 'picture.png' : 'recording');
  if (thumbnail) form.append('thumbnail', thumbnail, 'still.jpg');
  const headers = { authorization: `Bearer ${roomToken}` };
  return fetch(`${location.pathname}/${kind}`, { method: 'POST', headers, body: form }).catch(() => null);
}

async function wordsOf(answer: Response): Promise<string> {
  const said: { error?: { message?: string } } = await answer.json().catch(() => ({}));
  return said.error?.message ?? 'It could not be kept. Please try again.';
}
