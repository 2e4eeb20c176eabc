import { WORDS } from '../words/words.ts';
import { browserKind } from './browser-kind.ts';

declare global {
  interface MediaTrackCapabilities {
    /** Values that the browser can set (W3C, Media Capture Extensions). */
    backgroundBlur?: boolean[];
  }
}

export interface Devices {
  stream: MediaStream;
  /** Says which device is missing, and what to press; null where both work. */
  missingNotice: string | null;
  /** The same in two or three words. */
  missingReason: string;
}

const SOUND: MediaTrackConstraints = { echoCancellation: true, noiseSuppression: true };
const PICTURE: MediaTrackConstraints = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 24, max: 30 } };

/** Which way a camera of a phone looks. */
export type Facing = 'user' | 'environment';

const toPictureConstraints = (facing: Facing): MediaTrackConstraints => ({ ...PICTURE, facingMode: facing });

const open = (constraints: MediaStreamConstraints): Promise<MediaStream | DOMException> =>
  navigator.mediaDevices
    .getUserMedia(constraints)
    .catch((error: unknown) => (error instanceof DOMException ? error : new DOMException('', 'UnknownError')));

/** @param reason name of the browser's exception */
const missing = (stream: MediaStream, missingNotice: string, reason = ''): Devices => ({
  stream,
  missingNotice,
  missingReason: isDenied(reason) ? WORDS.devices.notAllowed : isBusy(reason) ? WORDS.devices.inUse : WORDS.devices.notFound,
});

const isDenied = (reason: string): boolean => reason === 'NotAllowedError' || reason === 'SecurityError';
const isBusy = (reason: string): boolean => reason === 'NotReadableError' || reason === 'AbortError';

/** Opens camera and microphone, or the one that works. Without any the stream is empty, and the person can still join. */
export async function openDevices(): Promise<Devices> {
  if (!navigator.mediaDevices) return missing(new MediaStream(), `${WORDS.devices.secureOnly} ${WORDS.devices.still}`);
  const both = await open({ audio: SOUND, video: toPictureConstraints('user') });
  if (both instanceof MediaStream) return { stream: both, missingNotice: null, missingReason: '' };
  const sound = await open({ audio: SOUND });
  if (sound instanceof MediaStream) return missing(sound, `${advice(both.name, 'camera')} ${WORDS.devices.noCameraOnly}`, both.name);
  const sight = await open({ video: toPictureConstraints('user') });
  if (sight instanceof MediaStream)
    return missing(sight, `${advice(both.name, 'microphone')} ${WORDS.devices.noMicrophoneOnly}`, both.name);
  return missing(new MediaStream(), `${advice(both.name, 'both')} ${WORDS.devices.still}`, both.name);
}

/** Opens the camera alone. @throws DOMException where it may not or cannot be used */
export async function openCamera(facing: Facing): Promise<MediaStreamTrack> {
  const opened = await open({ video: toPictureConstraints(facing) });
  if (!(opened instanceof MediaStream)) throw opened;
  const [track] = opened.getVideoTracks();
  if (!track) throw new DOMException('', 'NotFoundError');
  return track;
}

/** Whether the device has two cameras, such as the front and the back of a phone. */
export async function hasTwoCameras(): Promise<boolean> {
  const devices = await navigator.mediaDevices?.enumerateDevices().catch(() => []);
  return (devices ?? []).filter(({ kind }) => kind === 'videoinput').length > 1;
}

/** Whether the browser can blur what is behind the person, and let it be. */
export const canBlur = (track: MediaStreamTrack): boolean =>
  'getCapabilities' in track && (track.getCapabilities().backgroundBlur ?? []).length > 1;

/** In plain words why a device is missing, and what to press in this browser. */
function advice(reason: string, what: 'both' | 'camera' | 'microphone'): string {
  const name = WORDS.devices.names[what];
  if (isDenied(reason)) return `${WORDS.devices.denied(name)} ${WORDS.devices.allow[browserKind(navigator.userAgent)]}`;
  if (isBusy(reason)) return WORDS.devices.busy(name);
  return what === 'both' ? WORDS.devices.none : WORDS.devices.missing(name);
}
