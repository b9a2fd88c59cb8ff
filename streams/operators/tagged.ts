import { map, type Observable } from 'rxjs';

/** A value with the name of its stream, which identifies it after streams are merged. */
export interface Tagged<Type extends string, Value> {
  readonly type: Type;
  readonly value: Value;
}

export function tagged<Type extends string, Value>(
  type: Type,
  value$: Observable<Value>,
): Observable<Tagged<Type, Value>> {
  return value$.pipe(map((value) => ({ type, value })));
}
