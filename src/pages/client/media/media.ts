import type { Person } from '../../../realtime/room-protocol.ts';
import type { Joined, SignalData, ToServer } from '../protocol.ts';
import type { Quality } from './tile.ts';

/** Transport of video and audio: the mesh, or LiveKit. */
export interface Media {
  readonly way: Joined['way'];
  /** Sets the people in the room, including the person of this page. */
  setPeople(people: Person[]): void;
  receiveSignal(from: number, data: SignalData): void;
  /** Sends another picture from now on, or none. */
  replaceVideo(track: MediaStreamTrack | null): void;
  /** Called after the page has joined again. */
  rejoin(joined: Joined): void;
  close(): void;
}

export interface MediaEvents {
  sendMessage(message: ToServer): void;
  /** The video and audio of a person from now on. */
  onStream(id: number, stream: MediaStream): void;
  onLeft(id: number): void;
  /** The connection of a person has become better or worse. */
  onQuality(id: number, quality: Quality): void;
}
