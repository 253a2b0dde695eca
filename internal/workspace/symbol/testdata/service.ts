import { x } from "y";

/** Doc of f. */
export function f<T>(a: T): T;
export function f(a: any) {
  return a;
}

@Injectable()
export class Service<T> extends Base {
  private count = 0;
  handler = () => { return 1; };
  constructor(private x: number) { super(); }
  /** Runs. */
  @Log()
  async run(a: string): Promise<void> {
    const inner = () => 1;
  }
  get size(): number { return 1; }
  static make(): void {}
}

export interface Shape { area(): number; }
export type Id = string | number;
export enum Color { Red, Green }
const enum E2 { A }
// arrow
export const add = (a: number, b: number): number => a + b;
const fn2 = function () {};
let counter = 0, other = 1;
export default function () { return 1; }
namespace NS { export function inside() {} }
declare module "foo" { function z(): void; }
abstract class Abs { abstract foo(): void; }
declare function ext(a: string): void;
