"""The names that course systems and registries give to the columns of a list of students, in several languages. Marks
on letters do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# English, German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Polish, Czech, Finnish, Turkish, Russian,
# Chinese, Japanese, Korean. The first that is there counts.
NUMBER = (
    "number", "student number", "student id", "student id number", "id number", "matriculation number", "matriculation",
    "matriculation no", "matrikelnummer", "matrikelnr", "matrikel nr", "matrikel", "martikelnummer", "mtknr",
    "immatrikulationsnummer", "registration number", "registration no", "roll number", "roll no", "candidate number",
    "candidate no", "university id", "campus id", "orgdefinedid", "sis user id", "sis id", "sid", "id nummer",
    "numero etudiant", "numero d etudiant", "numero de etudiant", "no etudiant", "n etudiant",
    "numero d identification", "code permanent", "numero de id", "numero de estudiante", "numero de alumno",
    "matricula", "numero de matricula", "numero de identificacao", "numero de aluno", "codice identificativo",
    "numero di matricola", "matricola", "studentnummer", "studienummer", "opiskelijanumero", "numer id",
    "numer indeksu", "numer albumu", "id cislo", "osobni cislo", "ogrenci numarasi", "ogrenci no",
    "номер студенческого билета", "номер", "学号", "學號", "学籍番号", "학번", "nummer",
)  # fmt: skip
LOGIN = ("sis login id", "username", "user name", "login", "login id", "benutzername", "anmeldename", "kennung", "uid",
         "nom d utilisateur", "nombre de usuario", "usuario", "nome de usuario", "nome utente", "gebruikersnaam",
         "nazwa uzytkownika", "kullanici adi", "логин", "用户名", "ユーザ名")  # fmt: skip
MAIL = ("email address", "e mail address", "email", "e mail", "mail", "mail address", "e mailadresse", "e mail adresse",
        "mailadresse", "emailadresse", "adresse de courriel", "adresse e mail", "adresse email", "courriel",
        "adresse electronique", "direccion de correo", "correo electronico", "correo", "endereco de email",
        "endereco de e mail", "indirizzo email", "indirizzo e mail", "e mailadres", "emailadres", "e postadress",
        "e postadresse", "epost", "adres e mail", "emailova adresa", "sahkopostiosoite", "e posta", "e posta adresi",
        "адрес электронной почты", "электронная почта", "电子邮件", "メールアドレス", "이메일")  # fmt: skip
NAME = ("full name", "fullname", "student name", "name of student", "vollstandiger name", "display name", "anzeigename",
        "nom complet", "nombre completo", "nome completo", "volledige naam", "имя фамилия", "фио", "ad soyad", "姓名",
        "氏名", "이름", "name", "nom", "nombre", "nome", "naam", "namn", "navn", "ad", "student")  # fmt: skip
FIRST = ("first name", "first names", "firstname", "given name", "given names", "forename", "vorname", "vornamen",
         "rufname", "prenom", "prenoms", "nombres", "primeiro nome", "voornaam", "fornamn", "fornavn", "imie", "jmeno",
         "krestni jmeno", "etunimi", "имя", "名")  # fmt: skip
LAST = ("last name", "lastname", "surname", "family name", "familyname", "nachname", "familienname", "zuname",
        "nom de famille", "apellido", "apellidos", "apelido", "sobrenome", "ultimo nome", "cognome", "achternaam",
        "efternamn", "efternavn", "etternavn", "nazwisko", "prijmeni", "sukunimi", "soyad", "soyadi", "фамилия",
        "姓")  # fmt: skip
# Beside a first name the last one, beside a last name the first
OF_ONE_NAME = ("name", "nom", "nombre", "nome", "naam", "namn", "navn", "ad")
ID = ("student", "id")  # a number where nothing better is there
# What stands in the place of a student in lines that are none's: points of tasks, averages, marks around a list.
NOBODY = ("points possible", "possible points", "max points", "maximum points", "points possibles", "puntos posibles",
          "pontos possiveis", "punti possibili", "mogliche punkte", "erreichbare punkte", "punten mogelijk",
          "manual posting", "overall average", "average", "group average", "course average", "gesamtdurchschnitt",
          "durchschnitt", "gruppendurchschnitt", "moyenne generale", "moyenne", "promedio general", "promedio",
          "media geral", "media", "media generale", "gemiddelde", "starthissheet", "endhissheet",
          "end of line indicator")  # fmt: skip
# Whom Canvas adds to every course
TRIAL = ("student test", "test student", "testperson", "teststudent", "student, test")
STUDENT = (*NUMBER, "student", *LOGIN, *MAIL, "id", *NAME)  # of the table of a class
LANGUAGE = ("language", "lang", "sprache")
KNOWN = frozenset({*NUMBER, *LOGIN, *MAIL, *NAME, *FIRST, *LAST, *ID})

_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")  # of Latin letters
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def plain(head: str) -> str:
    """Return a head in small letters without marks, brackets and signs: `Apellido(s)` is `apellido`."""
    bare = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", head.casefold())))
    return " ".join(re.split(r"[\s_.:*'’°/|#-]+", _BRACKETS.sub(" ", bare))).strip()


def column(heads: Sequence[str], names: Sequence[str]) -> int | None:
    return next((heads.index(name) for name in names if name in heads), None)
