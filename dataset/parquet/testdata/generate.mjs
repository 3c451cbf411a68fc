// Writes js.arrow, js.arrows (Apache Arrow for JavaScript), rust-*.parquet
// (arrow-rs, as parquet-wasm) and hyparquet.parquet (hyparquet-writer), all of the
// same rows. The reader under test has written none of them.
//
//	npm install apache-arrow@21.2.0 parquet-wasm@0.8.0 hyparquet-writer@0.17.0
//	node generate.mjs .
import * as arrow from 'apache-arrow';
import fs from 'fs';
const out = process.argv[2];
const n = 7;
const cols = {
  i32: arrow.vectorFromArray([1,-2,3,null,5,6,7], new arrow.Int32()),
  f64: arrow.vectorFromArray([0.5,1.5,2.5,3.5,4.5,-5.5,6.5], new arrow.Float64()),
  u8: arrow.vectorFromArray([1,2,3,4,5,6,255], new arrow.Uint8()),
  i64: arrow.vectorFromArray([1n,2n,3n,4n,5n,6n,-9007199254740991n], new arrow.Int64()),
  flag: arrow.vectorFromArray([true,false,true,true,false,false,true], new arrow.Bool()),
  proto: arrow.vectorFromArray(['tcp','udp','tcp','icmp','tcp',null,'udp'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
  when: arrow.vectorFromArray(Array.from({length:n},(_,i)=>new Date(1e12+i*1e6)), new arrow.TimestampMillisecond()),
  pair: arrow.vectorFromArray(Array.from({length:n},(_,i)=>[i,i+1]), new arrow.List(new arrow.Field('item', new arrow.Float64()))),
  y: arrow.vectorFromArray(['a','b','a','b','a','b','b'], new arrow.Utf8()),
};
const t = new arrow.Table(cols);
fs.writeFileSync(out+'/js.arrow', arrow.tableToIPC(t,'file'));
fs.writeFileSync(out+'/js.arrows', arrow.tableToIPC(t,'stream'));
import { createRequire } from 'module'; const require = createRequire(import.meta.url); const wasm = require('parquet-wasm');
const w = wasm.default ?? wasm;

for (const [name,c] of [['snappy',w.Compression.SNAPPY],['zstd',w.Compression.ZSTD]]) {
  const props = new w.WriterPropertiesBuilder().setCompression(c).setMaxRowGroupSize(3).build();
  fs.writeFileSync(out+`/rust-${name}.parquet`, w.writeParquet(w.Table.fromIPCStream(arrow.tableToIPC(t,'stream')), props));
}
import { parquetWriteBuffer } from 'hyparquet-writer';
const buf = parquetWriteBuffer({ columnData: [
  {name:'i32', data:[1,-2,3,null,5,6,7], type:'INT32'},
  {name:'f64', data:[0.5,1.5,2.5,3.5,4.5,-5.5,6.5], type:'DOUBLE'},
  {name:'flag', data:[true,false,true,true,false,false,true], type:'BOOLEAN'},
  {name:'proto', data:['tcp','udp','tcp','icmp','tcp',null,'udp'], type:'STRING'},
  {name:'y', data:['a','b','a','b','a','b','b'], type:'STRING'},
], rowGroupSize: 4 });
fs.writeFileSync(out+'/hyparquet.parquet', Buffer.from(buf));
// polars.parquet and polars.arrow: polars, which writes Parquet by a library of its own.
//	npm install nodejs-polars@0.26.1 nodejs-polars-linux-x64-gnu@0.26.1
const pl = require('nodejs-polars');
const frame = pl.DataFrame({
  i32: pl.Series('i32', [1, -2, 3, null, 5, 6, 7], pl.Int32), f64: [0.5, 1.5, 2.5, 3.5, 4.5, -5.5, 6.5], flag: [true, false, true, true, false, false, true],
  proto: pl.Series('proto', ['tcp', 'udp', 'tcp', 'icmp', 'tcp', null, 'udp'], pl.Utf8).cast(pl.Categorical), y: ['a', 'b', 'a', 'b', 'a', 'b', 'b'],
});
frame.writeParquet(out + '/polars.parquet', { compression: 'zstd' });
frame.writeIPC(out + '/polars.arrow', { compression: 'lz4' });
