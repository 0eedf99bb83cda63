#include "cli/completion.h"

/*
 * The scripts ask the program, `trails completion words -- TYPED...`, so that
 * what a shell offers is what this program takes (cli/complete.h).
 */

static const char bash[] =
    "# bash completion for trails\n"
    "_trails() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} word rest\n"
    "    local typed=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\" \"$current\")\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word rest; do\n"
    "        if [[ $word == :files ]]; then\n"
    "            compopt -o default 2>/dev/null\n"
    "        elif [[ $word == \"$current\"* ]]; then\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion words -- \"${typed[@]}\""
    " 2>/dev/null)\n"
    "}\n"
    "complete -F _trails trails\n";

static const char zsh[] =
    "#compdef trails\n"
    "_trails() {\n"
    "    local line files=0\n"
    "    local -a next\n"
    "    for line in ${(f)\"$(\"${words[1]}\" completion words -- "
    "\"${(@)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            files=1\n"
    "        else\n"
    "            next+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done\n"
    "    (( $#next )) && _describe trails next\n"
    "    (( files )) && _files\n"
    "}\n"
    "compdef _trails trails\n";

static const char fish[] =
    "# fish completion for trails\n"
    "function __trails_next\n"
    "    set -l typed (commandline -opc) (commandline -ct)\n"
    "    for line in ($typed[1] completion words -- $typed[2..-1] "
    "2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c trails -f -a '(__trails_next)'\n";

bool tr_cli_completion_write(tr_str shell, struct tr_buf *out)
{
    static const struct {
        tr_str name;
        tr_str script;
    } shells[] = {
        {TR_STR_INIT("bash"), {bash, sizeof(bash) - 1}},
        {TR_STR_INIT("zsh"), {zsh, sizeof(zsh) - 1}},
        {TR_STR_INIT("fish"), {fish, sizeof(fish) - 1}},
    };
    for (size_t i = 0; i < TR_LEN(shells); i++) {
        if (tr_str_eq(shells[i].name, shell)) {
            tr_buf_put(out, shells[i].script);
            return true;
        }
    }
    return false;
}
