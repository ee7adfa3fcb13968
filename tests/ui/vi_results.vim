" Asks vim anew for every row of vi_results.jsonl: text, row and column of the cursor, keys; then the text and the cursor they lead to.
"   cd tests/ui && vim -u NONE -N -es -S vi_results.vim
" A row may be added with the first three alone.
set encoding=utf-8 autoindent shiftwidth=2 expandtab nojoinspaces noswapfile viminfo= belloff=all backspace=indent,eol,start
let s:rows = []
for s:line in readfile('vi_results.jsonl')
  let [s:text, s:place, s:keys] = json_decode(s:line)[0:2]
  enew!
  for s:name in split('abcdefghijklmnopqrstuvwxyz0123456789-"', '\zs')
    call setreg(s:name, [])
  endfor
  delmarks!
  call setcharsearch({'char': "\x01", 'forward': 1, 'until': 0})
  call setline(1, split(s:text, "\n", 1))
  call setcursorcharpos(s:place[0] + 1, s:place[1] + 1)
  normal! m'
  " With `silent!` a command that fails does not drop the keys behind it, as it does not when they are typed.
  silent! execute 'normal! ' . substitute(s:keys, '<\(Esc\|BS\)>', '\=eval("\"\\<" . submatch(1) . ">\"")', 'g')
  let s:end = getcursorcharpos()
  call add(s:rows, json_encode([s:text, s:place, s:keys, join(getline(1, '$'), "\n"), [s:end[1] - 1, s:end[2] - 1]]))
  bwipeout!
endfor
call writefile(s:rows, 'vi_results.jsonl')
qall!
